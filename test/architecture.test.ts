// The house rules of docs/architecture.md, enforced: ranks, cycles, purity, file length, adapters, names.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');
const RANKS: Record<string, number> = {
  base: 0,
  speech: 1,
  audio: 2,
  text: 2,
  captions: 2,
  dialects: 2,
  legs: 2,
  access: 2,
  limits: 2,
  script: 2,
  'speech-program': 2.5,
  reading: 3,
  client: 3,
  upstream: 3,
  playout: 3,
  simulate: 3,
  storage: 3,
  pipeline: 4,
  session: 5,
  service: 5,
  gateway: 6,
  http: 6,
  cluster: 6.5,
  settings: 7,
  cli: 7,
  bench: 7,
  '': 7,
};
/** Programs of their own: they use ranks up to this, and nothing but what starts them uses them. */
const PROGRAMS: Record<string, number> = { engine: 2.5, chaos: 2.5, playground: 2 };
const LONGEST_FILE = 350;
const STARTS_A_PROGRAM =
  /^(cli\/engine\.ts → engine\/engine-server|cli\/chaos\.ts → chaos\/chaos-proxy)\.ts$/;
/** Programs, and what gives one its environment. */
const OWNS_ITS_PROCESS =
  /^(main|engine\/.*|speech-program\/.*|pipeline\/word-timer-process|base\/bare-environment)\.ts$/;
/**
 * Files named by their means are adapters: only the files that build the program may import them, and the bench that
 * measures one of them by itself.
 */
const BUILDS_WITH_ADAPTERS = /^(app(-[a-z]+)?|bench\/shared-admission)\.ts$/;
const ADAPTER = /^(file|http|ipc|redis|sqlite|tcp|process|worker)-[a-z0-9-]+\.ts$/;
const ADAPTER_FOLDERS = ['upstream', 'storage', 'pipeline', 'limits', 'service', 'reading', 'cluster'];

type Source = { file: string; folder: string; text: string; imports: string[] };

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const sources: Source[] = files.map((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!);
  const folder = dirname(file) === '.' ? '' : file.split('/')[0]!;
  return { file, folder, text, imports };
});
const local = (source: Source): string[] =>
  source.imports
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(SRC, resolve(SRC, dirname(source.file), name)));

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
          // Start and commands are one rank in two folders; the cycle check keeps them apart.
          if (RANKS[folder] === 7 && RANKS[source.folder] === 7) return false;
          const highest = PROGRAMS[source.folder];
          if (highest !== undefined) return (RANKS[folder] ?? 9) > highest;
          if (PROGRAMS[folder] !== undefined) return true;
          return (RANKS[folder] ?? 9) >= (RANKS[source.folder] ?? 9);
        })
        .map((target) => `${source.file} → ${target}`),
    );
    // Ranks decide for everything but the commands that start a program in-process.
    expect(wrong.filter((line) => !STARTS_A_PROGRAM.test(line))).toEqual([]);
  });

  it('has no import cycle, types included', () => {
    const graph = new Map(sources.map((source) => [source.file, local(source)]));
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
      if (rank !== 1 && rank !== 2) return [];
      const code = source.text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      const found: string[] = source.imports.filter(
        (name) => name.startsWith('node:') && !/^node:(buffer|crypto)$/.test(name),
      );
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
    // What is imported for its types alone is not run.
    const RUN = /^(?:import|export) (?!type)(?:[^;']*?from )?'([^'?]+)/gm;
    const byFile = new Map(sources.map((source) => [source.file, source]));
    const foreign: string[] = [];
    const reached = new Set<string>();
    const reach = (file: string) => {
      const source = byFile.get(file);
      if (source === undefined || reached.has(file)) return;
      reached.add(file);
      for (const [, name] of source.text.matchAll(RUN)) {
        if (name!.startsWith('.')) reach(relative(SRC, resolve(SRC, dirname(file), name!)));
        else foreign.push(`${file} → ${name}`);
      }
    };
    reach('playground/main.ts');
    expect(reached.size).toBeGreaterThan(20);
    expect(foreign).toEqual([]);
  });

  it('touches `process` in main.ts alone (and in the separate programs)', () => {
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

  it('keeps files short, named in kebab case, and free of barrels and catch-all names', () => {
    const wrong = sources.flatMap((source) => {
      const lines = source.text.split('\n').length - 1;
      const name = basename(source.file, '.ts');
      const found: string[] = [];
      if (lines > LONGEST_FILE) found.push(`${lines} lines, at most ${LONGEST_FILE}`);
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
        folder !== 'playground' && !/\bclass \w+/.test(text) && /^\s+[gs]et \w+\(/m.test(text),
    );
    expect(wrong.map((s) => s.file)).toEqual([]);
  });

  it('starts every file by saying what it owns', () => {
    const wrong = sources.filter((source) => !/^(#!.*\n)?\s*(\/\/|\/\*)/.test(source.text));
    expect(wrong.map((s) => s.file)).toEqual([]);
  });
});
