/** @file Faults that no field shows: those of a bad link. They stand where every page begins. */
import { problemLine } from '#i18n/problem';
import { faultsWithoutField } from '#state/selectors';
import { AlertIcon } from './icons.tsx';
import { useLabState, useText } from './lab-context.ts';

export function FaultList() {
  const t = useText();
  const problems = useLabState((state) => state.problems);
  const draft = useLabState((state) => state.draft);
  // A refused link leaves the fields at the good experiment: none of its faults is in one.
  const ofLink = useLabState((state) => state.draft === (state.experiment as unknown));
  const faults = ofLink ? problems : faultsWithoutField(problems, draft);
  if (faults.length === 0) return null;
  return (
    <div className="notice faulty fault-list" role="alert">
      <AlertIcon />
      <div>
        <p>{t(ofLink ? 'page.faults.link' : 'page.faults.other', { count: faults.length })}</p>
        <ul>
          {faults.map((fault) => (
            <li key={fault.path + fault.found + fault.message}>{problemLine(t.locale, fault)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
