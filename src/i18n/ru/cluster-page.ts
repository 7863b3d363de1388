/** @file Words of the page for cluster time, losses and what the monitor says. */
import type { Message } from '../message.ts';

export const clusterPage = {
  'page.clock.cluster': 'время кластера',
  'page.modelled.title': 'Шаг в кластере',
  'page.modelled.about':
    'Сколько занял бы последний шаг в кластере, описанном в эксперименте: его устройства, каналы и отстающие ранги смоделированы событие за событием. Обучение здесь настоящее, а это время — не время вашей машины.',
  'page.modelled.compute': 'вычисления',
  'page.modelled.communicate': 'открытый обмен',
  'page.modelled.other': 'ожидание',
  'page.modelled.elapsed': 'С начала обучения, время кластера: {time}',
  'page.rank.kill': 'Завершить воркер ранга {rank}',
  'page.news.label': 'Что случилось с рангами',
  'page.news.fault': 'Шаг {step}: потерян ранг {ranks}, {kind}.',
  'page.news.recovery': {
    one: '{count} ранг продолжил с шага {step}, повторено шагов: {lost}. Заняло {took} времени кластера.',
    few: '{count} ранга продолжили с шага {step}, повторено шагов: {lost}. Заняло {took} времени кластера.',
    many: '{count} рангов продолжили с шага {step}, повторено шагов: {lost}. Заняло {took} времени кластера.',
    other:
      '{count} ранга продолжили с шага {step}, повторено шагов: {lost}. Заняло {took} времени кластера.',
  },
  'page.news.finding': 'Шаг {step}: ранг {rank} {cause}.',
  'page.news.warning':
    'Шаг {step}: ранг {rank} {danger} примерно на шаге {expected} (уверенность {sureness} %).',
  'page.news.hang': 'Шаг {step}: ранг {rank} ушёл, остальные ждут.',
  'page.fault.kill': 'воркер завершён',
  'page.fault.hang': 'он замолчал',
  'page.fault.link': 'связь с ним пропала',
  'page.fault.split': 'сеть распалась',
  'page.fault.nan': 'его градиент перестал быть числом',
  'page.fault.flip': 'его веса разошлись с остальными',
  'page.fault.crash': 'его воркер упал',
  'page.cause.slowCompute': 'считает медленнее остальных',
  'page.cause.hiccup': 'раз за разом останавливается',
  'page.cause.jitter': 'работает неровнее остальных',
  'page.cause.throttling': 'перегрелся и замедлился',
  'page.cause.slowLink': 'связан медленным каналом',
  'page.cause.slowLoader': 'ждёт данных',
  'page.cause.hung': 'не пришёл к общей операции',
  'page.cause.nanGradient': 'получил градиент, который не число',
  'page.cause.gradientDrift': 'получает градиент, не похожий на остальные',
  'page.cause.hashDisagrees': 'хранит не те веса, что большинство',
  'page.danger.throttling': 'перегреется',
  'page.danger.slowing': 'станет слишком медленным',
  'page.danger.starving': 'останется без данных',
  'page.danger.lossScaleFalls': 'останется с малым масштабом потерь',
  'page.danger.gradientGrows': 'получит слишком большой градиент',
} as const satisfies Readonly<Record<string, Message>>;
