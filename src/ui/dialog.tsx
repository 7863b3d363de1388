/** @file A native modal dialog with the button that opens it. */
import { type ReactNode, useRef } from 'react';
import { CloseIcon } from './icons.tsx';
import { useText } from './lab-context.ts';

interface DialogProps {
  readonly id: string;
  readonly title: string;
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps) {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = `${props.id}-title`;
  return (
    <>
      <button
        type="button"
        className="button icon ghost"
        aria-label={props.title}
        title={props.title}
        onClick={() => dialog.current?.showModal()}
      >
        {props.icon}
      </button>
      {/* A press beside the text closes it; Escape does so by itself, for the keyboard. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above. */}
      <dialog
        ref={dialog}
        id={props.id}
        className="dialog"
        aria-labelledby={title}
        onClick={(event) => {
          if (event.target === event.currentTarget) event.currentTarget.close();
        }}
      >
        <button
          type="button"
          className="button icon ghost close"
          aria-label={t('page.close')}
          onClick={() => dialog.current?.close()}
        >
          <CloseIcon />
        </button>
        <h2 id={title}>{props.title}</h2>
        {props.children}
      </dialog>
    </>
  );
}
