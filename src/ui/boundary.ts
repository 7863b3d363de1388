/** @file Paints what a model answers over the plane, with the points on top. */
import type { Probe } from '#protocol/replica';
import type { PointCloud } from './lab-context.ts';

type BoundaryProbe = Extract<Probe, { kind: 'boundary' }>;
type Colour = readonly [number, number, number];

const SHOWN_POINTS = 400;
/** Opacity of a certain answer; an undecided one is clear. */
const CERTAIN = 150;

function colourOf(style: CSSStyleDeclaration, name: string): Colour {
  const hex = style.getPropertyValue(name).trim().slice(1);
  const number = Number.parseInt(hex, 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** The grid as a small picture: colour by the likelier class, opacity by how sure. */
function gridPicture(probe: BoundaryProbe, colours: readonly [Colour, Colour]): ImageData {
  const { size, probability } = probe;
  const picture = new ImageData(size, size);
  for (let i = 0; i < size * size; i++) {
    const p = probability[i] ?? 0.5;
    const [red, green, blue] = p >= 0.5 ? colours[1] : colours[0];
    picture.data.set([red, green, blue, CERTAIN * Math.abs(2 * p - 1)], 4 * i);
  }
  return picture;
}

function paintGrid(context: CanvasRenderingContext2D, picture: ImageData, box: DOMRect): void {
  const small = document.createElement('canvas');
  small.width = picture.width;
  small.height = picture.height;
  small.getContext('2d')?.putImageData(picture, 0, 0);
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = 'high';
  context.drawImage(small, box.x, box.y, box.width, box.height);
}

/** Draws grid and points into a canvas, the plane's square in its middle, edges filled. */
export function drawBoundary(
  canvas: HTMLCanvasElement,
  probe: BoundaryProbe,
  cloud: PointCloud,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const style = getComputedStyle(canvas);
  const colours = [colourOf(style, '--class-0'), colourOf(style, '--class-1')] as const;
  const side = Math.min(canvas.width, canvas.height);
  const box = new DOMRect((canvas.width - side) / 2, (canvas.height - side) / 2, side, side);
  context.clearRect(0, 0, canvas.width, canvas.height);
  paintGrid(context, gridPicture(probe, colours), box);
  const every = Math.max(1, Math.ceil(cloud.y.length / SHOWN_POINTS));
  context.strokeStyle = style.getPropertyValue('--panel');
  context.lineWidth = 1;
  for (let i = 0; i < cloud.y.length; i += every) {
    const x = box.x + (0.5 + (cloud.x[2 * i] ?? 0) / (2 * probe.extent)) * side;
    const y = box.y + (0.5 - (cloud.x[2 * i + 1] ?? 0) / (2 * probe.extent)) * side;
    context.fillStyle = style.getPropertyValue(cloud.y[i] === 1 ? '--class-1' : '--class-0');
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}
