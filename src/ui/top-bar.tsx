/** @file The bar along the top: what it is, what runs, and everything that starts or stops it. */

import { useState } from 'react';
import { loadLocale } from '#i18n/translate';
import { isActive } from '#state/run-state';
import { AboutDialog } from './about-dialog.tsx';
import { choiceLabel } from './field-words.ts';
import { count, rate } from './format.ts';
import {
  Mark,
  PauseIcon,
  PlayIcon,
  ResetIcon,
  ShareIcon,
  StepIcon,
  StopIcon,
  ThemeIcon,
} from './icons.tsx';
import { useLab, useLabState, useLive, useSettings, useText } from './lab-context.ts';
import { Popover } from './popover.tsx';
import { Segments } from './segments.tsx';
import { THEMES } from './settings.ts';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

/** Wall milliseconds for which the share button says that it has copied. */
const COPIED_MS = 2000;

function Crumb() {
  const t = useText();
  const experiment = useLabState((state) => state.run.experiment ?? state.experiment);
  return (
    <p className="crumb">
      {t('page.crumb.lab')} <span aria-hidden="true">/</span>{' '}
      <b>
        {t('page.crumb.experiment', {
          task: t(`page.task.${experiment.data.name}`),
          model: choiceLabel(t, 'model.kind', experiment.model.kind).label,
          replicas: t('unit.replicas', { count: experiment.replicas }),
        })}
      </b>
    </p>
  );
}

function TrainButton() {
  const t = useText();
  const { actions } = useLab().store;
  const status = useLabState((state) => state.run.status);
  const running = status === 'running';
  const word = running ? 'pause' : status === 'paused' ? 'resume' : 'train';
  return (
    <button
      type="button"
      className="button primary"
      data-action="train"
      disabled={status === 'preparing'}
      onClick={actions.train}
      aria-keyshortcuts="Space"
    >
      {running ? <PauseIcon /> : <PlayIcon />}
      {t(status === 'preparing' ? 'page.preparingShort' : `page.${word}`)}
    </button>
  );
}

function Transport() {
  const t = useText();
  const { actions } = useLab().store;
  const status = useLabState((state) => state.run.status);
  return (
    <fieldset className="transport" aria-label={t('page.transport')}>
      <button
        type="button"
        className="button icon"
        aria-label={t('page.reset')}
        title={t('page.hint.reset')}
        data-action="reset"
        disabled={status === 'idle'}
        onClick={actions.reset}
      >
        <ResetIcon />
      </button>
      <TrainButton />
      <button
        type="button"
        className="button icon"
        aria-label={t('page.step')}
        title={t('page.hint.step')}
        data-action="step"
        disabled={status === 'running'}
        onClick={actions.step}
      >
        <StepIcon />
      </button>
      <button
        type="button"
        className="button icon"
        aria-label={t('page.stop')}
        title={t('page.hint.stop')}
        data-action="stop"
        disabled={!isActive(status)}
        onClick={actions.stop}
      >
        <StopIcon />
      </button>
    </fieldset>
  );
}

function Progress() {
  const t = useText();
  const live = useLive();
  const status = useLabState((state) => state.run.status);
  if (live.totalSteps === 0) {
    return (
      <p className="step-count" data-steps="0" data-status={status}>
        <b>{t(`page.status.${status}`)}</b>
        {status === 'idle' && <small className="hint">{t('page.idle.keys')}</small>}
        {status === 'preparing' && <small className="hint">{t('page.idle.wait')}</small>}
      </p>
    );
  }
  return (
    <p className="step-count" data-steps={live.completed} data-status={status}>
      <b>{count(t.locale, live.completed)}</b>{' '}
      {t('page.steps', { count: live.totalSteps, total: count(t.locale, live.totalSteps) })}
      {live.samplesPerSecond > 0 && status === 'running' ? (
        <small>{t('page.rate', { rate: rate(t.locale, live.samplesPerSecond) })}</small>
      ) : (
        <small>{t(`page.status.${status}`)}</small>
      )}
    </p>
  );
}

function ShareButton() {
  const t = useText();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button
      type="button"
      className="button share"
      title={t('page.hint.share')}
      // Where the clipboard is forbidden (a frame without the permission), the address bar has it.
      onClick={() => void copy().catch(() => undefined)}
    >
      <ShareIcon />
      <span aria-live="polite">{t(copied ? 'page.copied' : 'page.share')}</span>
    </button>
  );
}

function LanguageSwitch() {
  const t = useText();
  const { settings } = useLab();
  const { locale } = useSettings();
  return (
    <Segments
      bare
      label={t('page.language')}
      value={locale}
      choices={[
        { value: 'en', label: 'EN', title: 'English' },
        { value: 'ru', label: 'RU', title: 'Русский' },
      ]}
      onChoose={(value) => {
        const locale = value === 'ru' ? 'ru' : 'en';
        void loadLocale(locale).then(() => settings.setState({ locale }));
      }}
    />
  );
}

function ThemeMenu() {
  const t = useText();
  const { settings } = useLab();
  const { theme } = useSettings();
  return (
    <Popover
      label={t('page.theme')}
      icon={<ThemeIcon />}
      buttonClass="button icon ghost"
      popoverClass="menu"
    >
      <div role="radiogroup" aria-label={t('page.theme')}>
        {THEMES.map((choice) => (
          <label key={choice}>
            <input
              className="radio"
              type="radio"
              name="theme"
              checked={choice === theme}
              onChange={() => settings.setState({ theme: choice })}
            />
            {t(`page.theme.${choice}`)}
          </label>
        ))}
      </div>
    </Popover>
  );
}

export function TopBar() {
  const t = useText();
  return (
    <header className="top">
      <h1 className="mark">
        <Mark />
        {t('page.title')}
      </h1>
      <Crumb />
      <div className="top-middle">
        <Transport />
        <Progress />
      </div>
      <div className="top-end">
        <ShareButton />
        <LanguageSwitch />
        <ThemeMenu />
        <ShortcutsDialog />
        <AboutDialog />
      </div>
    </header>
  );
}
