// A process of its own for a part of a bench, so that the gateway shares its event loop with nobody: the same
// program, called with a role, talked to in lines of JSON over its standard streams. It ends with its input, so it
// never outlives the bench.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchRole } from './bench-role.ts';

/** In the child. */
export type Actor = {
  /** Told to the bench once everything is up. */
  readonly ready: unknown;
  /** What has been counted since the last report. */
  report(): unknown;
  close(): Promise<void>;
};

/** In the bench. */
export type ActorProcess<Ready, Report> = {
  readonly ready: Ready;
  readonly report: () => Promise<Report>;
  /** Resolves when the process is gone. */
  readonly close: () => Promise<void>;
};

const ANSWER_DEADLINE_MS = 20_000;
const EXIT_DEADLINE_MS = 5000;

async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** The child's side: the first line is the plan, each further one asks for a report. */
export async function act(
  input: AsyncIterable<Buffer>,
  print: (line: string) => void,
  start: (plan: unknown) => Promise<Actor>,
): Promise<void> {
  let actor: Actor | undefined;
  try {
    for await (const line of linesOf(input)) {
      if (actor === undefined) {
        actor = await start(JSON.parse(line));
        print(JSON.stringify(actor.ready));
      } else print(JSON.stringify(actor.report()));
    }
  } finally {
    await actor?.close();
  }
}

/** `through`: a command that runs ours, with arguments of its own. Rejects when the process does not come up. */
export async function startActor<Ready, Report>(
  role: BenchRole,
  plan: unknown,
  through: readonly string[] = [],
): Promise<ActorProcess<Ready, Report>> {
  const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  // With the flags of V8 that the bench was started with, so that a gateway can be measured with them.
  const command = [...through, process.execPath, ...process.execArgv, program, 'bench', role];
  const child = spawn(command[0]!, command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  const lines = linesOf(child.stdout);
  const ask = async (line: unknown): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(line)}\n`);
    const answer = await within(ANSWER_DEADLINE_MS, lines.next());
    if (answer === undefined || answer.done)
      throw new Error(`the process "${role}" of the bench gave no answer`);
    return JSON.parse(answer.value);
  };
  const close = async () => {
    child.stdin.end();
    await within(EXIT_DEADLINE_MS, exited);
    if (isAlive(child)) child.kill('SIGKILL');
    await exited;
  };

  try {
    const ready = (await ask(plan)) as Ready;
    return { ready, report: () => ask('report') as Promise<Report>, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const isAlive = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** What `promise` gives, or undefined when it takes longer. */
function within<T>(deadlineMs: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), deadlineMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
