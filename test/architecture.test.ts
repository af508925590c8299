// The house rules of docs/architecture.md, enforced: ranks, cycles, purity, file length, adapters, names.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
/** The folders of the program's source; those at the top of src/ and the others beside it (packages/client as `packages`). */
const RANKS: Record<string, number> = {
  base: 0,
  speech: 1,
  audio: 2,
  text: 2,
  captions: 2.25,
  dialects: 2,
  legs: 2,
  access: 2,
  limits: 2,
  script: 2,
  settings: 2.5,
  'speech-program': 2.5,
  reading: 3,
  packages: 2.5,
  client: 3,
  upstream: 3,
  playout: 3,
  storage: 3,
  pipeline: 4,
  session: 5,
  service: 5,
  gateway: 6,
  http: 6,
  cluster: 6.5,
  app: 7,
  cli: 7,
  testkit: 7,
  '': 8,
};
/** Programs of their own: they use ranks up to this, and nothing but what starts them uses them. */
const PROGRAMS: Record<string, number> = { engine: 2.5, playground: 2.5 };
const MAX_LINES = 350;
/** Written by a program, read by compilers. */
const GENERATED = /^packages\/client\/src\/messages\.ts$/;
const MAX_FILES_OF_FOLDER = 24;
/** Of src/: a new one replaces another, or has to be worth it. */
const MAX_FILES = 940;
/** A command starts the engine, and what it gives it to misbehave fits the engine's port. */
const KNOWS_A_PROGRAM =
  /^(cli\/engine\.ts → engine\/engine-server|testkit\/faults\/[a-z-]+\.ts → engine\/fault-plan)\.ts$/;
/** Programs, and what gives one its environment. */
const OWNS_ITS_PROCESS =
  /^(check-node|main|engine\/.*|speech-program\/.*|pipeline\/word-timing\/word-timer-process|base\/processes\/bare-environment)\.ts$/;
/** Files named by their means are adapters: only the files that build the program may import them. */
const BUILDS_WITH_ADAPTERS = /^app\/[a-z-]+\.ts$/;
const ADAPTER = /^(file|http|ipc|postgres|redis|s3|sqlite|tcp|process|worker)-[a-z0-9-]+\.ts$/;
const ADAPTER_FOLDERS = ['upstream', 'storage', 'pipeline', 'limits', 'service', 'reading', 'cluster'];
/** What takes part in the program is in src/ alone: only these commands load the testing kit, when they are asked for it. */
const LOADS_THE_TESTKIT = ['cli/commands.ts', 'cli/engine.ts'];

type Import = { readonly name: string; readonly kind: 'run' | 'types' };
type Source = { file: string; folder: string; text: string; imports: Import[] };

const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
/** As the rules below name it: without `src/`. */
const named = (path: string): string => path.replace(/^src\//, '');

const IMPORT = /(?:^|[\s;])(?:(import|export)\s+(type\s)?([^;'"]*?)\s*from\s*|import\s*\(?\s*)'([^']+)'/g;
function importsOf(text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, , type, names = '', name]) => {
    const listed = /^\{([\s\S]*)\}$/
      .exec(names.trim())?.[1]
      ?.split(',')
      .filter((each) => each.trim() !== '');
    const isOfTypes = type !== undefined || listed?.every((each) => /^\s*type\s/.test(each));
    return { name: name!, kind: isOfTypes ? 'types' : 'run' };
  });
}

const sources: Source[] = ['src', 'packages/client/src', 'testkit'].flatMap(filesBelow).map((path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const file = named(path);
  return { file, folder: dirname(file) === '.' ? '' : file.split('/')[0]!, text, imports: importsOf(text) };
});
const local = (source: Source, kinds: readonly Import['kind'][] = ['run', 'types']): string[] => {
  const path =
    source.folder === 'testkit' || source.folder === 'packages' ? source.file : join('src', source.file);
  return source.imports
    .filter(({ name, kind }) => name.startsWith('.') && name.endsWith('.ts') && kinds.includes(kind))
    .map(({ name }) => named(relative(ROOT, resolve(ROOT, dirname(path), name))));
};

describe('architecture', () => {
  it('has a rank for every folder', () => {
    const unknown = sources.filter((s) => PROGRAMS[s.folder] === undefined && RANKS[s.folder] === undefined);
    expect(unknown.map((s) => s.file)).toEqual([]);
  });

  it('imports only from its own folder or a lower rank', () => {
    const wrong = sources.flatMap((source) =>
      local(source)
        .filter((target) => {
          const folder = target.includes('/') ? target.split('/')[0]! : '';
          if (folder === source.folder) return false;
          // Start and commands are one rank in three folders; the cycle check keeps them apart.
          if (folder === 'testkit' && !LOADS_THE_TESTKIT.includes(source.file)) return true;
          if (RANKS[folder] === 7 && RANKS[source.folder] === 7) return false;
          const highest = PROGRAMS[source.folder];
          if (highest !== undefined) return (RANKS[folder] ?? 9) > highest;
          if (PROGRAMS[folder] !== undefined) return true;
          return (RANKS[folder] ?? 9) >= (RANKS[source.folder] ?? 9);
        })
        .map((target) => `${source.file} → ${target}`),
    );
    // Ranks decide for everything but the command that starts a program in-process.
    expect(wrong.filter((line) => !KNOWS_A_PROGRAM.test(line))).toEqual([]);
  });

  it('has no import cycle at run time', () => {
    const graph = new Map(sources.map((source) => [source.file, local(source, ['run'])]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
        return;
      }
      if (done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('keeps ranks 1 and 2 pure: no node module but buffer and crypto, no await, no clock, no randomness', () => {
    const wrong = sources.flatMap((source) => {
      const rank = RANKS[source.folder] ?? 9;
      if (rank < 1 || rank > 2.25) return [];
      const code = source.text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      const found: string[] = source.imports
        .map(({ name }) => name)
        .filter((name) => name.startsWith('node:') && !/^node:(buffer|crypto)$/.test(name));
      if (/\bawait\b/.test(code)) found.push('await');
      if (
        /\b(Date\.now|new Date\(\)|performance\.now|setTimeout|setInterval|setImmediate|process\.)/.test(code)
      )
        found.push('clock or process');
      if (/\bMath\.random\b|\brandom(Bytes|UUID|Int)\b/.test(code)) found.push('randomness');
      return found.map((what) => `${source.file}: ${what}`);
    });
    expect(wrong).toEqual([]);
  });

  it('builds the page for browsers: no node module in what it runs, and no server’s package', () => {
    const byFile = new Map(sources.map((source) => [source.file, source]));
    const foreign: string[] = [];
    const reached = new Set<string>();
    const reach = (file: string) => {
      const source = byFile.get(file);
      if (source === undefined || reached.has(file)) return;
      reached.add(file);
      for (const next of local(source, ['run'])) reach(next);
      for (const { name, kind } of source.imports)
        if (kind === 'run' && !name.startsWith('.')) foreign.push(`${file} → ${name}`);
    };
    reach('playground/main.ts');
    expect(reached.size).toBeGreaterThan(20);
    expect(foreign).toEqual([]);
  });

  it('keeps the client’s package free of Node and of packages', () => {
    const client = sources.filter(({ folder }) => folder === 'packages');
    const foreign = client.flatMap(({ file, imports }) =>
      imports.filter(({ name }) => !name.startsWith('.')).map(({ name }) => `${file} → ${name}`),
    );
    expect(client.length).toBeGreaterThan(10);
    expect(foreign).toEqual([]);
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    const node = client.filter(({ text }) =>
      /\b(Buffer|require|setImmediate)\b[.(]|\bprocess\./.test(code(text)),
    );
    expect(node.map(({ file }) => file)).toEqual([]);
  });

  it('touches `process` in main.ts and check-node.ts alone (and in the separate programs)', () => {
    const wrong = sources.filter(
      (source) =>
        !OWNS_ITS_PROCESS.test(source.file) &&
        /(^|[^.\w'-])process\.(env|argv|exit|exitCode|on|std)/m.test(source.text.replace(/\/\/.*$/gm, '')),
    );
    expect(wrong.map((s) => s.file)).toEqual([]);
  });

  it('lets only what builds the program, or measures an adapter, import adapters', () => {
    const wrong = sources.flatMap((source) =>
      local(source)
        .filter((target) => ADAPTER_FOLDERS.includes(target.split('/')[0]!) && ADAPTER.test(basename(target)))
        .filter(() => !BUILDS_WITH_ADAPTERS.test(source.file))
        .map((target) => `${source.file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps folders small enough to be read as a list, and the whole small enough to be known', () => {
    const counts = new Map<string, number>();
    for (const { file } of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > MAX_FILES_OF_FOLDER)).toEqual([]);
    expect(filesBelow('src').length).toBeLessThanOrEqual(MAX_FILES);
  });

  it('keeps files short, named in kebab case, and free of barrels and catch-all names', () => {
    const wrong = sources.flatMap((source) => {
      const lines = source.text.split('\n').length - 1;
      const name = basename(source.file, '.ts');
      const found: string[] = [];
      if (lines > MAX_LINES && !GENERATED.test(source.file))
        found.push(`${lines} lines, at most ${MAX_LINES}`);
      if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.d)?$/.test(name)) found.push('not kebab case');
      if (/^(index|utils?|helpers?|types|misc|common|manager)$/.test(name))
        found.push('a name that says nothing');
      return found.map((what) => `${source.file}: ${what}`);
    });
    expect(wrong).toEqual([]);
  });

  it('returns no getters from a factory: V8 makes a slow object of each (decision 0031)', () => {
    const wrong = sources.filter(
      ({ folder, text }) =>
        !['playground', 'packages'].includes(folder) &&
        !/\bclass \w+/.test(text) &&
        /^\s+[gs]et \w+\(/m.test(text),
    );
    expect(wrong.map((s) => s.file)).toEqual([]);
  });

  it('copies bytes by `new Uint8Array`: `slice` of a Buffer is no copy, and a Buffer is a Uint8Array', () => {
    const wrong = sources.filter(({ text }) => /\bbytes\.slice\(/.test(text));
    expect(wrong.map((s) => s.file)).toEqual([]);
  });

  it('starts every file by saying what it owns', () => {
    const wrong = sources.filter((source) => !/^(#!.*\n)?\s*(\/\/|\/\*)/.test(source.text));
    expect(wrong.map((s) => s.file)).toEqual([]);
  });
});
