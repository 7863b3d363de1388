/** @file Runs one of the project's commands in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Command {
  readonly child: ChildProcess;
  /** What was printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly finished: Promise<Finished>;
}

export interface CommandOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts `node` with these parameters. */
export function startNode(
  parameters: readonly string[],
  { input = '', environment = {}, cwd = process.cwd() }: CommandOptions = {},
): Command {
  const env = { ...process.env, INIT_CWD: cwd, ...environment };
  const child = spawn(process.execPath, parameters, { cwd, env, stdio: 'pipe' });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  child.stdin.end(input);
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, finished };
}
