/** @file What this is, whose data it uses, and under which licence it may be used. */
import { Dialog } from './dialog.tsx';
import { AboutIcon } from './icons.tsx';
import { useText } from './lab-context.ts';

export function AboutDialog() {
  const t = useText();
  return (
    <Dialog id="about" title={t('page.about.title')} icon={<AboutIcon />}>
      <p>{t('page.about.what')}</p>
      <p>{t('page.about.clocks')}</p>
      <h3>{t('page.about.data')}</h3>
      <ul>
        <li>{t('page.about.mnist')}</li>
        <li>{t('page.about.moby')}</li>
        <li>{t('page.about.points')}</li>
      </ul>
      <h3>{t('page.about.licence')}</h3>
      <p>{t('page.about.apache')}</p>
    </Dialog>
  );
}
