/** @file The page's icons: 16 px, one stroke width, in the colour of the text beside them. */
import type { ReactNode } from 'react';

function Icon(props: { readonly children: ReactNode }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {props.children}
    </svg>
  );
}

const path = (d: string) => () => (
  <Icon>
    <path d={d} />
  </Icon>
);

export const ResetIcon = path('M3 8a5 5 0 1 0 1.6-3.7M3 2.5v2.8h2.8');
export const PlayIcon = path('M5 3.2 12.2 8 5 12.8z');
export const PauseIcon = path('M5.5 3.5v9M10.5 3.5v9');
export const StepIcon = path('M4.5 3.5 10 8l-5.5 4.5zM12.2 3.5v9');
export const StopIcon = path('M4 4h8v8H4z');
export const ShareIcon = path(
  'M6.6 9.4a2.6 2.6 0 0 0 3.8.1l2-2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.4 6.6a2.6 2.6 0 0 0-3.8-.1l-2 2a2.6 2.6 0 0 0 3.7 3.7l.9-.9',
);
export const CheckIcon = path('M3.5 8.5 6.5 11.5 12.5 4.5');
export const AlertIcon = path('M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1');
export const CloseIcon = path('M4 4l8 8M12 4l-8 8');
export const ThemeIcon = path('M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11');
export const AboutIcon = path('M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 7.5v3M8 5.2v.1');
export const KeyboardIcon = path('M2 4.5h12v7H2zM4.5 7h.1M7 7h.1M9.4 7h.1M11.8 7h.1M5 9.5h6');
export const DiceIcon = path(
  'M3 3h10v10H3zM5.8 5.8h.1M10.2 5.8h.1M8 8h.1M5.8 10.2h.1M10.2 10.2h.1',
);

/** The (i) beside a control. */
export function InfoIcon() {
  return (
    <svg
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.2"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="7" cy="7" r="5.4" />
      <path d="M7 6.6v3M7 4.4v.1" strokeWidth="1.4" />
    </svg>
  );
}

/** The mark: four replicas on a ring, one message under way. */
export function Mark() {
  return (
    <svg className="mark-picture" width="26" height="26" viewBox="0 0 26 26" aria-hidden="true">
      <circle className="mark-ring" cx="13" cy="13" r="9" />
      <path className="mark-message" d="M13 4a9 9 0 0 1 9 9" />
      <circle cx="13" cy="4" r="3.4" />
      <circle cx="22" cy="13" r="3.4" />
      <circle cx="13" cy="22" r="3.4" />
      <circle cx="4" cy="13" r="3.4" />
    </svg>
  );
}
