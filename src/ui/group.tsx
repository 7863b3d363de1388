/** @file A group of controls that folds, its summary still telling what was chosen. */
import type { ReactNode } from 'react';

interface GroupProps {
  readonly name: string;
  readonly summary: string;
  readonly open?: boolean;
  /** A fault lies within: the summary says so in red. */
  readonly faulty?: boolean;
  readonly children: ReactNode;
}

export function Group(props: GroupProps) {
  return (
    <details className="group" open={props.open}>
      <summary>
        <h3>{props.name}</h3>
        <span className={props.faulty ? 'group-summary faulty' : 'group-summary'}>
          {props.summary}
        </span>
        <svg className="group-fold" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <path d="M2 3.5 5 6.5 8 3.5" />
        </svg>
      </summary>
      <div className="group-body">{props.children}</div>
    </details>
  );
}
