/** @file One field of the experiment: its label, its control from the field table, its faults. */

import { type CSSProperties, useId, useState } from 'react';
import type { Problem } from '#experiment/experiment';
import type {
  ChoiceField,
  Field,
  ListField,
  NumberField,
  ScriptField,
  SwitchField,
} from '#experiment/field';
import { type FieldPath, fieldAt } from '#experiment/fields';
import { hasHelp, isMessageKey, type Locale, loadHelp } from '#i18n/translate';
import { type Json, linesFromText, listFromText, numberFromText, valueAt } from '#state/draft';
import { problemsAt } from '#state/selectors';
import { sliderOf } from '#state/slider';
import { choiceLabel, fieldLabel, quantityUnit } from './field-words.ts';
import { InfoIcon } from './icons.tsx';
import { type Text, useLab, useLabState, useSettings, useText } from './lab-context.ts';
import { Popover } from './popover.tsx';
import { Segments } from './segments.tsx';

/** A slider over more values than this would jump by thousands; such a field is typed. */
const WIDEST_LINEAR_SLIDER = 10_000;

interface ControlProps<Kind> {
  readonly field: Kind;
  readonly path: FieldPath;
  readonly label: string;
  readonly value: Json | undefined;
  readonly describedBy: string | undefined;
}

/** The fault's message in the reader's language; a key we do not know is shown as it is. */
export function FieldProblems(props: {
  readonly id: string;
  readonly problems: readonly Problem[];
}) {
  const t = useText();
  return (
    <ul className="problems" id={props.id}>
      {props.problems.map((problem) => (
        <li key={problem.path + problem.message}>
          {isMessageKey(problem.message) ? t(problem.message, problem.parameters) : problem.message}{' '}
          <span className="found">{t('page.problem.found', { found: problem.found })}</span>
        </li>
      ))}
    </ul>
  );
}

/** Two sentences about a field, behind an (i). */
export function FieldInfo(props: { readonly path: FieldPath }) {
  const t = useText();
  const [isAsked, setAsked] = useState(false);
  const label = fieldLabel(t, props.path);
  const open = (): void => {
    // Where the texts cannot be had the popover keeps the field's one line.
    void loadHelp()
      .then(() => setAsked(true))
      .catch(() => undefined);
  };
  const isThere = hasHelp(t.locale) || isAsked;
  return (
    <Popover buttonClass="info" icon={<InfoIcon />} label={t('page.info', { label })} onOpen={open}>
      <strong>{label}</strong>
      {t(isThere ? `field.${props.path}.help` : `field.${props.path}.line`)}
    </Popover>
  );
}

function asText(value: Json | undefined, locale: Locale): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return '';
  return locale === 'ru' ? String(value).replace('.', ',') : String(value);
}

interface TypedProps extends ControlProps<NumberField | ListField> {
  readonly read: (text: string) => Json;
}

/** Shows what is typed while it is being typed, and the draft's value otherwise. */
function TypedValue(props: TypedProps) {
  const { edit } = useLab().store.actions;
  const { locale } = useSettings();
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      className="number"
      type="text"
      inputMode={props.field.kind === 'list' ? 'text' : 'decimal'}
      autoComplete="off"
      spellCheck={false}
      aria-label={props.label}
      aria-invalid={props.describedBy !== undefined}
      aria-describedby={props.describedBy}
      value={typed ?? asText(props.value, locale)}
      onChange={(event) => {
        setTyped(event.target.value);
        edit(props.path, props.read(event.target.value));
      }}
      onBlur={() => setTyped(null)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
}

function Slider(props: ControlProps<NumberField>) {
  const { edit } = useLab().store.actions;
  const { locale } = useSettings();
  const slider = sliderOf(props.field);
  const value = typeof props.value === 'number' ? props.value : props.field.default;
  const position = slider.positionOf(value);
  const filled = { '--filled': `${(100 * position) / slider.last}%` } as CSSProperties;
  return (
    <input
      className="slider"
      type="range"
      min={0}
      max={slider.last}
      value={position}
      style={filled}
      aria-label={props.label}
      aria-valuetext={asText(value, locale)}
      onChange={(event) => edit(props.path, slider.valueAt(event.target.valueAsNumber))}
    />
  );
}

function NumberControl(props: ControlProps<NumberField>) {
  const { field } = props;
  const typedOnly =
    field.scale === 'linear' && field.maximum - field.minimum > WIDEST_LINEAR_SLIDER;
  return (
    <>
      {typedOnly ? <span /> : <Slider {...props} />}
      <TypedValue {...props} read={numberFromText} />
    </>
  );
}

function SwitchControl(props: ControlProps<SwitchField>) {
  const { edit } = useLab().store.actions;
  return (
    <input
      className="switch"
      type="checkbox"
      role="switch"
      checked={props.value === true}
      aria-checked={props.value === true}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      onChange={(event) => edit(props.path, event.target.checked)}
    />
  );
}

/** A list to open, where the choices are too many to stand side by side. */
function ChoiceList(props: ControlProps<ChoiceField>) {
  const t = useText();
  const { edit } = useLab().store.actions;
  return (
    <select
      className="choice-list"
      aria-label={props.label}
      aria-invalid={props.describedBy !== undefined}
      aria-describedby={props.describedBy}
      value={typeof props.value === 'string' ? props.value : ''}
      onChange={(event) => edit(props.path, event.target.value)}
    >
      {props.field.choices.map((value) => {
        const { label, title } = choiceLabel(t, props.path, value);
        return (
          <option key={value} value={value}>
            {title ?? label}
          </option>
        );
      })}
    </select>
  );
}

function ChoiceControl(props: ControlProps<ChoiceField>) {
  const t = useText();
  const { edit } = useLab().store.actions;
  if (isListed(t, props.field, props.path)) return <ChoiceList {...props} />;
  return (
    <Segments
      label={props.label}
      value={typeof props.value === 'string' ? props.value : ''}
      choices={props.field.choices.map((value) => choiceLabel(t, props.path, value))}
      onChoose={(value) => edit(props.path, value)}
    />
  );
}

/** A line of the script a line of the box; the grey one shows how a line is written. */
function ScriptControl(props: ControlProps<ScriptField>) {
  const { edit } = useLab().store.actions;
  const [typed, setTyped] = useState<string | null>(null);
  const lines = Array.isArray(props.value) ? props.value.join('\n') : '';
  const shown = typed ?? lines;
  return (
    <textarea
      className="script"
      rows={Math.min(6, shown.split('\n').length + 1)}
      spellCheck={false}
      autoComplete="off"
      placeholder={props.field.example}
      aria-label={props.label}
      aria-invalid={props.describedBy !== undefined}
      aria-describedby={props.describedBy}
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value);
        edit(props.path, linesFromText(event.target.value));
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

function Control(props: ControlProps<Field>) {
  const { field } = props;
  switch (field.kind) {
    case 'integer':
    case 'number':
      return <NumberControl {...props} field={field} />;
    case 'list':
      return <TypedValue {...props} field={field} read={listFromText} />;
    case 'script':
      return <ScriptControl {...props} field={field} />;
    case 'choice':
      return <ChoiceControl {...props} field={field} />;
    case 'switch':
      return <SwitchControl {...props} field={field} />;
  }
}

/** More choices, or more characters in all of them, do not fit side by side: they are listed. */
const MOST_SEGMENTS = 5;
const LONGEST_SEGMENTS = 26;

const lettersOf = (t: Text, { choices }: ChoiceField, path: FieldPath): number =>
  choices.map((value) => choiceLabel(t, path, value).label).join('').length;

const isListed = (t: Text, field: ChoiceField, path: FieldPath): boolean =>
  field.choices.length > MOST_SEGMENTS || lettersOf(t, field, path) > LONGEST_SEGMENTS;

/** Characters of all labels together that still fit beside a field's name. */
const INLINE_CHOICE = 15;

/** Characters of a listed choice that fit beside a field's name. */
const LONGEST_LISTED = 14;

const longestOf = (t: Text, { choices }: ChoiceField, path: FieldPath): number =>
  Math.max(...choices.map((value) => choiceLabel(t, path, value).label.length));

function rowShape(t: Text, field: Field, path: FieldPath): string {
  if (field.kind === 'integer' || field.kind === 'number') return 'ranged';
  if (field.kind === 'script') return 'stacked';
  if (field.kind !== 'choice') return 'plain';
  if (isListed(t, field, path))
    return longestOf(t, field, path) > LONGEST_LISTED ? 'stacked' : 'plain';
  return lettersOf(t, field, path) <= INLINE_CHOICE ? 'plain' : 'stacked';
}

/** A labelled row with the control that the field table asks for. */
export function FieldRow(props: { readonly path: FieldPath }) {
  const { path } = props;
  const t = useText();
  const id = useId();
  const value = useLabState((state) => valueAt(state.draft, path));
  const problems = problemsAt(
    useLabState((state) => state.problems),
    path,
  );
  const field = fieldAt(path);
  const label = fieldLabel(t, path);
  const unit = quantityUnit(t, field);
  const describedBy = problems.length > 0 ? id : undefined;
  return (
    <div className={`row ${rowShape(t, field, path)}`} data-field={path}>
      <div className="row-label">
        <span className="row-name">
          {label}
          {unit !== '' && <small className="row-unit">, {unit}</small>}
        </span>
        <FieldInfo path={path} />
      </div>
      <Control field={field} path={path} label={label} value={value} describedBy={describedBy} />
      {problems.length > 0 && <FieldProblems id={id} problems={problems} />}
    </div>
  );
}
