/** @file The 2-D tasks, drawn from the seed: two classes, balanced, spanning about -1 to 1. */
import { PURPOSE, type Purpose, type RandomStream, randomStream } from '#core/random';
import type { DataChoice, PointsName } from '#experiment/experiment';
import type { Dataset, LabelledSplit } from './dataset.ts';

type PointsChoice = Extract<DataChoice, { samples: number }>;

/** A point of a class, without noise. */
type Shape = (label: number, stream: RandomStream) => readonly [number, number];

const TURNS = 1.5;
const CENTRE = 0.15;
const MARGIN = 0.08;

/**
 * Two arms of an Archimedean spiral, half a turn apart; evenly dense along the radius. They stay
 * CENTRE away from the centre, about half of what lies between them elsewhere (1 / (2 * TURNS)),
 * since noise would mix them there.
 */
const spirals: Shape = (label, stream) => {
  const t = CENTRE + (1 - CENTRE) * stream.uniform();
  const angle = (2 * TURNS * t + label) * Math.PI;
  return [t * Math.sin(angle), t * Math.cos(angle)];
};

/** Two half circles that reach into each other (scikit-learn's make_moons, scaled and centred). */
const moons: Shape = (label, stream) => {
  const angle = Math.PI * stream.uniform();
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  return label === 0
    ? [(x - 0.5) * 0.65, (y - 0.25) * 0.65]
    : [(0.5 - x) * 0.65, (0.25 - y) * 0.65];
};

/** A disc of radius 0.45 inside a ring from 0.65 to 1, each evenly dense. */
const circles: Shape = (label, stream) => {
  const [inner, outer] = label === 0 ? [0, 0.45] : [0.65, 1];
  const radius = Math.sqrt(inner ** 2 + stream.uniform() * (outer ** 2 - inner ** 2));
  const angle = 2 * Math.PI * stream.uniform();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
};

/** Squares in the four quadrants, clear of the axes: class 0 where the signs agree. */
const xor: Shape = (label, stream) => {
  const side = (): number => MARGIN + (1 - MARGIN) * stream.uniform();
  const sign = stream.below(2) === 0 ? 1 : -1;
  return [sign * side(), (label === 0 ? sign : -sign) * side()];
};

const SHAPES: Readonly<Record<PointsName, Shape>> = { spirals, moons, circles, xor };

/** Labels alternate, so the classes are balanced to one; the sampler shuffles. */
function drawSplit(choice: PointsChoice, seed: number, purpose: Purpose): LabelledSplit {
  const { name, samples: count, noise } = choice;
  const stream = randomStream(seed, purpose);
  const x = new Float32Array(2 * count);
  const y = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const label = i % 2;
    const [px, py] = SHAPES[name](label, stream);
    x[2 * i] = px + noise * stream.normal();
    x[2 * i + 1] = py + noise * stream.normal();
    y[i] = label;
  }
  return { kind: 'labelled', count, x, y };
}

/** `samples` training points and as many test points; `noise` is the deviation in each axis. */
export function pointsDataset(choice: PointsChoice, seed: number): Dataset {
  return {
    name: choice.name,
    task: { kind: 'points', features: 2, classes: 2 },
    train: drawSplit(choice, seed, PURPOSE.pointsTrain),
    test: drawSplit(choice, seed, PURPOSE.pointsTest),
  };
}
