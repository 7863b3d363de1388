/** @file A task's card: a radio button whose face is a real sample of the data. */
import { useEffect, useRef } from 'react';
import digits from './assets/digits.png';
import { useLab, useSettings, useText } from './lab-context.ts';
import { useTheme } from './use-theme.ts';

export const TASKS = ['mnist', 'spirals', 'moons', 'circles', 'xor', 'moby-dick'] as const;
export type TaskName = (typeof TASKS)[number];
type CloudName = Exclude<TaskName, 'mnist' | 'moby-dick'>;

/** More points would only make the small picture muddy. */
const SHOWN_POINTS = 110;
const NOISE = 0.04;
/** Picture size in CSS pixels; drawn at twice that. */
const SIZE = 40;

function drawCloud(canvas: HTMLCanvasElement, x: Float32Array, y: Uint8Array): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const style = getComputedStyle(canvas);
  const colours = [style.getPropertyValue('--class-0'), style.getPropertyValue('--class-1')];
  const extent = 1.12 * x.reduce((most, value) => Math.max(most, Math.abs(value)), 0.1);
  const scale = canvas.width / 2 / extent;
  context.clearRect(0, 0, canvas.width, canvas.height);
  for (let i = 0; i < y.length; i++) {
    context.fillStyle = colours[y[i] ?? 0] ?? '';
    context.beginPath();
    context.arc(
      canvas.width / 2 + (x[2 * i] ?? 0) * scale,
      canvas.height / 2 - (x[2 * i + 1] ?? 0) * scale,
      2.4,
      0,
      2 * Math.PI,
    );
    context.fill();
  }
}

function Cloud(props: { readonly name: CloudName }) {
  const { pointCloud } = useLab();
  const theme = useTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  // The theme is a dependency because the colours are read from it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => {
    const cloud = pointCloud({ name: props.name, samples: SHOWN_POINTS, noise: NOISE }, 0);
    if (canvas.current) drawCloud(canvas.current, cloud.x, cloud.y);
  }, [pointCloud, props.name, theme]);
  return <canvas ref={canvas} width={2 * SIZE} height={2 * SIZE} className="cloud" />;
}

function Face(props: { readonly task: TaskName }) {
  if (props.task === 'mnist') {
    return <img className="digit-sheet" src={digits} width={60} height={40} alt="" />;
  }
  if (props.task === 'moby-dick') {
    return (
      <span className="prose-face" lang="en">
        Call me
        <br />
        Ishmael.
      </span>
    );
  }
  return <Cloud name={props.task} />;
}

interface TaskCardsProps {
  readonly value: string;
  readonly onChoose: (task: TaskName) => void;
}

export function TaskCards(props: TaskCardsProps) {
  const t = useText();
  const { locale } = useSettings();
  return (
    <div className="tasks" role="radiogroup" aria-label={t('page.task.choose')} lang={locale}>
      {TASKS.map((task) => (
        <label key={task} className="task">
          <input
            type="radio"
            name="task"
            value={task}
            checked={task === props.value}
            aria-label={t(`choice.data.name.${task}`)}
            onChange={() => props.onChoose(task)}
          />
          <span className="task-face" aria-hidden="true">
            <Face task={task} />
          </span>
          <span className="task-name">{t(`page.task.${task}`)}</span>
        </label>
      ))}
    </div>
  );
}
