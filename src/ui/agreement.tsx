/** @file Whether all replicas hold the same weights: quiet where they do, loud where not. */
import type { Agreement } from '#state/selectors';
import { shortHash } from './format.ts';
import { AlertIcon, CheckIcon } from './icons.tsx';
import { useText } from './lab-context.ts';

export function AgreementLine(props: { readonly agreement: Agreement }) {
  const t = useText();
  const { agreement } = props;
  if (agreement.kind === 'unknown') {
    return <p className="agreement unknown">{t('page.agreement.unknown')}</p>;
  }
  if (agreement.kind === 'apart') {
    return <p className="agreement unknown">{t('page.agreement.apart')}</p>;
  }
  if (agreement.kind === 'agree') {
    return (
      <p className="agreement agree">
        <CheckIcon />
        {t('page.agreement.agree', { count: agreement.ranks })}
        <span className="agreement-hash">{shortHash(agreement.hash)}</span>
      </p>
    );
  }
  return (
    <div className="agreement differ" role="alert">
      <p>
        <AlertIcon />
        {t('page.agreement.differ', { step: agreement.step })}
      </p>
      <ul>
        {agreement.groups.map(({ hash, ranks }) => (
          <li key={hash}>
            <b>{shortHash(hash)}</b>{' '}
            {t('page.agreement.ranks', { count: ranks.length, ranks: ranks.join(', ') })}
          </li>
        ))}
      </ul>
    </div>
  );
}
