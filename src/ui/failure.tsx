/** @file What went wrong, where, and what to do. */
import { isMessageKey } from '#i18n/translate';
import { useLab, useLabState, useText } from './lab-context.ts';

function NonFinite() {
  const t = useText();
  const event = useLabState((state) => state.run.nonFinite);
  if (!event) return null;
  return (
    <>
      <p className="centre-big">{t('page.nonFinite.title')}</p>
      <p>
        {t('page.nonFinite.where', {
          step: event.step,
          count: event.ranks.length,
          ranks: event.ranks.join(', '),
        })}
      </p>
      <p className="centre-small">{t('page.nonFinite.remedy')}</p>
    </>
  );
}

export function FailureText() {
  const t = useText();
  const { actions } = useLab().store;
  const failure = useLabState((state) => state.run.failure);
  return (
    <div className="failure" role="alert">
      {failure ? (
        <>
          <p className="centre-big">{t('page.failure.title')}</p>
          <p>
            {isMessageKey(failure.message)
              ? t(failure.message, failure.parameters)
              : failure.message}
          </p>
          {failure.detail !== '' && (
            <details>
              <summary>{t('page.failure.detail')}</summary>
              <code>{failure.detail}</code>
            </details>
          )}
        </>
      ) : (
        <NonFinite />
      )}
      <button type="button" className="button small" onClick={actions.reset}>
        {t('page.reset')}
      </button>
    </div>
  );
}
