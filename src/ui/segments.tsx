/** @file A radio group drawn as a segmented control. */
import { useId } from 'react';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Spoken and shown on hover where the label is an abbreviation. */
  readonly title?: string;
}

interface SegmentsProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
  readonly bare?: boolean;
}

export function Segments(props: SegmentsProps) {
  const name = useId();
  return (
    <div
      className={props.bare ? 'segments bare' : 'segments'}
      role="radiogroup"
      aria-label={props.label}
    >
      {props.choices.map((choice) => (
        <label key={choice.value} title={choice.title}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === props.value}
            aria-label={choice.title ?? choice.label}
            onChange={() => props.onChoose(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}
