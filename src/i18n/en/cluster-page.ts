/** @file Words of the page for cluster time, losses and what the monitor says. */
import type { Message } from '../message.ts';

export const clusterPage = {
  'page.clock.cluster': 'cluster time',
  'page.modelled.title': 'A step in the cluster',
  'page.modelled.about':
    'What the last step would have taken on the cluster that the experiment describes: its devices, links and stragglers, modelled event by event. Training here is real; this time is not this machine’s.',
  'page.modelled.compute': 'compute',
  'page.modelled.communicate': 'exposed exchange',
  'page.modelled.other': 'waiting',
  'page.modelled.elapsed': 'Since the start of the run, cluster time: {time}',
  'page.rank.kill': 'Terminate the worker of rank {rank}',
  'page.news.label': 'What happened to the ranks',
  'page.news.fault': 'Step {step}: rank {ranks} was lost, {kind}.',
  'page.news.recovery': {
    one: '{count} rank went on from step {step}; {lost} steps are done again. It took {took} of cluster time.',
    other:
      '{count} ranks went on from step {step}; {lost} steps are done again. It took {took} of cluster time.',
  },
  'page.news.finding': 'Step {step}: rank {rank} {cause}.',
  'page.news.warning':
    'Step {step}: rank {rank} {danger} at about step {expected} ({sureness} % sure).',
  'page.news.hang': 'Step {step}: rank {rank} left, and the others wait.',
  'page.fault.kill': 'its worker was terminated',
  'page.fault.hang': 'it said nothing more',
  'page.fault.link': 'it could not be reached',
  'page.fault.split': 'the network fell apart',
  'page.fault.nan': 'its gradient was no number',
  'page.fault.flip': 'its weights differed from the others’',
  'page.fault.crash': 'its worker crashed',
  'page.cause.slowCompute': 'computes more slowly than the others',
  'page.cause.hiccup': 'pauses again and again',
  'page.cause.jitter': 'varies more than the others',
  'page.cause.throttling': 'is hot and has slowed down',
  'page.cause.slowLink': 'has a slow link',
  'page.cause.slowLoader': 'waits for its data',
  'page.cause.hung': 'has not come to the collective',
  'page.cause.nanGradient': 'has a gradient that is no number',
  'page.cause.gradientDrift': 'has a gradient unlike the others’',
  'page.cause.hashDisagrees': 'holds other weights than most',
  'page.danger.throttling': 'will be too hot',
  'page.danger.slowing': 'will be too slow',
  'page.danger.starving': 'will run out of data',
  'page.danger.lossScaleFalls': 'will have too small a loss scale',
  'page.danger.gradientGrows': 'will have too large a gradient',
} as const satisfies Readonly<Record<string, Message>>;
