// `voxgate migrate`: what a data folder holds is carried to the records and files that several instances share, and back. It
// reads the settings of `serve`, so that what serves afterwards finds what was carried.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openBothRecords } from '../app/start.ts';
import { parseConfig } from '../settings/config.ts';
import { type Config, toEnv } from '../settings/settings.ts';
import { type CarryResult, carryRecords, compareRecords } from '../storage/carry-records.ts';
import { RECORD_TABLE_NAMES, type RecordTable } from '../storage/record-copies.ts';
import { type Command, FILE, JSON_FLAG, STRING, type Terminal, UsageError } from './command.ts';
import { type Told, tellBeside } from './output/beside-result.ts';
import { createProgressTeller } from './progress-line.ts';
import { readFlags } from './read-flags.ts';
import { filesOf } from './serve.ts';

/** Where both sides are; whatever else is set is read, too, and does not matter here. */
const PLACES = {
  config: FILE,
  'data-dir': { type: 'string', completes: 'folder' },
  'database-url': STRING,
  'database-url-file': FILE,
  'files-url': STRING,
  secret: STRING,
  'secret-file': FILE,
} as const;

const FLAGS = {
  ...JSON_FLAG,
  back: { type: 'boolean', default: false },
  check: { type: 'boolean', default: false },
  ...PLACES,
} as const;

const CALLED: Readonly<Record<RecordTable, string>> = {
  works: 'jobs and PlayNotes',
  agents: 'agents',
  deliveries: 'messages to webhooks',
  silenced: 'receivers that want none',
  revoked_tokens: 'revoked tokens',
};

type Values = { readonly json: boolean; readonly back: boolean; readonly check: boolean };

async function readSettings(terminal: Terminal, given: Readonly<Record<string, unknown>>): Promise<Config> {
  const flags = Object.keys(PLACES).flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' ? [`--${name}=${value}`] : [];
  });
  const parsed = parseConfig({ env: terminal.env, flags, file: await filesOf(terminal, flags) });
  if (!parsed.ok) throw new UsageError(parsed.problems.join('\n'));
  for (const warning of parsed.warnings) terminal.complain(warning);
  if (parsed.config.databaseUrl === undefined)
    throw new UsageError(
      `${toEnv('databaseUrl')} is not set: allowed: postgres://…, beside ${toEnv('filesUrl')} and ${toEnv('secret')}, as the instances have them`,
    );
  return parsed.config;
}

async function run(raw: Terminal): Promise<number> {
  const { values } = readFlags(raw.args, FLAGS, 'none');
  const config = await readSettings(raw, values);
  const terminal = tellBeside(raw, { json: values.json });
  const { dataDir } = config;
  if ((!values.back || values.check) && !existsSync(join(dataDir, 'records/voxgate.db')))
    throw new Error(
      `${toEnv('dataDir')} is ${resolve(dataDir)}, where no records are (records/voxgate.db): name the data folder of a gateway`,
    );
  const lost = new AbortController();
  const { folder, shared, isSecretKept, close } = await openBothRecords({
    ...{ config, version: raw.version },
    into: values.check ? 'neither' : values.back ? 'folder' : 'shared',
    onLost: () => lost.abort(new Error(`another process has taken the data folder ${dataDir}`)),
  });
  try {
    const [from, to] = values.back ? [shared, folder] : [folder, shared];
    const result = await (values.check ? compareRecords : carryRecords)(from, to, {
      signal: AbortSignal.any([terminal.interrupted, lost.signal]),
      onProgress: createProgressTeller(terminal, () => performance.now()),
    });
    terminal.status('');
    const code = tell(terminal, values, result);
    if (code === 0 && !isSecretKept)
      terminal.complain(
        `Leave ${toEnv('secret')} set as it is: the data folder keeps one secret, of 32 bytes, and another one has signed, too.`,
      );
    return code;
  } finally {
    await close();
  }
}

/** Answers the exit code. */
function tell(terminal: Told, { back, check }: Values, result: CarryResult): number {
  const tallies = [...Object.values(result.records), result.files];
  const sum = (what: 'different' | 'missing') => tallies.reduce((all, tally) => all + tally[what], 0);
  const [different, missing] = [sum('different'), sum('missing')];
  if (terminal.tells === 'people') for (const line of linesOf(result, check)) terminal.print(line);
  else {
    const direction = back ? 'back' : 'there';
    const outcome = different > 0 ? 'different' : missing > 0 ? 'missing' : check ? 'alike' : 'carried';
    terminal.print(JSON.stringify({ direction, outcome, ...result }));
  }
  for (const each of result.named) terminal.complain(`  ${each}`);
  if (different > 0)
    terminal.complain(
      check
        ? `${different} records or files differ`
        : `${different} records are at the target under the same id with another content, so nothing was written: name an empty target, or the one that this was carried to`,
    );
  if (missing > 0) terminal.complain(`${missing} records or files are missing at the target`);
  if (different + missing > 0) return 1;
  if (terminal.tells === 'people' && !check)
    terminal.print('Let only the target serve from now on: works and messages would be made and sent twice.');
  return 0;
}

function linesOf({ records, files }: CarryResult, check: boolean): readonly string[] {
  const rows = [
    ...RECORD_TABLE_NAMES.toReversed().map((table) => ({ called: CALLED[table], ...records[table] })),
    { called: 'files', ...files },
  ];
  return rows.map(({ called, carried, there, different, missing }) => {
    const counts = check
      ? `${there} alike, ${different} different, ${missing} missing`
      : `${carried} carried, ${there} there before${different === 0 ? '' : `, ${different} different`}`;
    return `${called.padEnd(26)}${counts}`;
  });
}

export const migrate: Command = {
  flags: FLAGS,
  help: () =>
    [
      'Usage: voxgate migrate [--back] [--check] [--json] [--config FILE] [--SETTING VALUE …]',
      '',
      'Carries what a data folder holds to PostgreSQL and the files of several instances: jobs, PlayNotes, agents, messages',
      'to webhooks, Idempotency-Keys, revoked tokens, files and parts of works under way. No gateway may run meanwhile.',
      'What was interrupted goes on where it was when it is called again; what is there already is left as it is.',
      '',
      '  --back                 From PostgreSQL to the data folder',
      '  --check                Compare both sides, files byte by byte; carries nothing',
      '  --json                 The result as a line of JSON',
      '  --config FILE          Settings as serve reads them',
      '  --data-dir DIR         The data folder (VOXGATE_DATA_DIR)',
      '  --database-url URL     PostgreSQL (VOXGATE_DATABASE_URL; or --database-url-file FILE)',
      '  --files-url URL        Where the instances have their files (VOXGATE_FILES_URL)',
      '  --secret-file FILE     What the instances sign with (VOXGATE_SECRET_FILE; or --secret). It has to hold the secret of',
      '                         the data folder, which is in its file service-secret',
      '',
      'Exit codes: 0 all is there, 1 something differs, is missing or failed, 2 wrong usage.',
    ].join('\n'),
  run,
};
