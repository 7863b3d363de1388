/** @file A button with a native popover beside it, kept inside the window. */
import { type ReactNode, type ToggleEvent, useId, useRef } from 'react';

/** Pixels between button and popover, and between popover and the window's edge. */
const GAP = 6;
const EDGE = 8;

interface PopoverProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly buttonClass: string;
  readonly popoverClass?: string;
  readonly children: ReactNode;
  readonly onOpen?: () => void;
}

/** Below the button where there is room, else above it. */
function place(popover: HTMLElement, button: HTMLElement): void {
  const anchor = button.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const left = Math.max(EDGE, Math.min(anchor.left, innerWidth - width - EDGE));
  const below = anchor.bottom + GAP;
  const top = below + height > innerHeight - EDGE ? anchor.top - GAP - height : below;
  popover.style.left = `${left}px`;
  popover.style.top = `${Math.max(EDGE, top)}px`;
}

export function Popover(props: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const onToggle = (event: ToggleEvent<HTMLDivElement>) => {
    if (event.newState !== 'open' || !button.current) return;
    props.onOpen?.();
    place(event.currentTarget, button.current);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={props.buttonClass}
        aria-label={props.label}
        title={props.label}
        popoverTarget={id}
      >
        {props.icon}
      </button>
      <div
        id={id}
        popover="auto"
        className={`popover ${props.popoverClass ?? ''}`}
        onToggle={onToggle}
      >
        {props.children}
      </div>
    </>
  );
}
