/** @file Which model, of those that can read the task's data. */
import type { DataChoice, Experiment } from '#experiment/experiment';
import { problemsAt } from '#state/selectors';
import { FieldInfo, FieldProblems } from './field-row.tsx';
import { choiceLabel } from './field-words.ts';
import { useLab, useLabState, useText } from './lab-context.ts';
import { Segments } from './segments.tsx';

type ModelKind = Experiment['model']['kind'];

function modelsFor(data: DataChoice): readonly ModelKind[] {
  if (data.name === 'mnist') return ['softmax', 'mlp', 'cnn'];
  if (data.name === 'moby-dick') return ['transformer'];
  return ['softmax', 'mlp'];
}

export function ModelChoice() {
  const t = useText();
  const { actions } = useLab().store;
  const experiment = useLabState((state) => state.experiment);
  const problems = problemsAt(
    useLabState((state) => state.problems),
    'model.kind',
  );
  const models = modelsFor(experiment.data);
  return (
    <div className="model-choice">
      <Segments
        label={t('field.model.kind.label')}
        value={experiment.model.kind}
        choices={models.map((kind) => choiceLabel(t, 'model.kind', kind))}
        onChoose={(kind) => actions.edit('model', { kind })}
      />
      <FieldInfo path="model.kind" />
      {problems.length > 0 && <FieldProblems id="model-problems" problems={problems} />}
    </div>
  );
}
