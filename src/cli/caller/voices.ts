// `voxgate voices`: the voices that a gateway's speech services have, as its callers name them.

import type { ListedVoice } from '../../speech/listed-voice.ts';
import { type Command, JSON_FLAG, type Terminal } from '../command.ts';
import { reachService } from '../reach-service.ts';
import { readFlags } from '../read-flags.ts';
import { sayingFlags } from '../words-of-flags.ts';
import { CALLER_FLAGS, callerHelp, readCaller } from './caller.ts';

const FLAGS = { ...JSON_FLAG, ...CALLER_FLAGS } as const;
const COLUMNS = ['voice', 'name', 'gender', 'language', 'service'] as const;
/** A column is no wider, so that one long id does not spread them all. */
const MAX_CELL = 60;

const rowOf = ({ id, name, gender, language, upstream }: ListedVoice): readonly string[] =>
  [id, name, gender, language, upstream].map((cell) => cell ?? '–');

/** Lines of a table; the column of services only where there are several. */
export function voiceTable(voices: readonly ListedVoice[]): readonly string[] {
  const columns = voices.some(({ upstream }) => upstream !== undefined) ? COLUMNS.length : COLUMNS.length - 1;
  const rows = [COLUMNS, ...voices.map(rowOf)].map((row) => row.slice(0, columns));
  const widths = rows[0]!.map((_, column) =>
    Math.min(MAX_CELL, Math.max(...rows.map((row) => row[column]!.length))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

async function run(terminal: Terminal): Promise<number> {
  const { values } = readFlags(terminal.args, FLAGS, 'none');
  const service = await reachService(terminal, await readCaller(terminal, values));
  try {
    const voices = await sayingFlags(service.client.voices(terminal.interrupted));
    if (values.json) terminal.print(JSON.stringify(voices));
    else if (voices.length === 0) terminal.print('The speech service does not list its voices.');
    else for (const line of voiceTable(voices)) terminal.print(line);
    return 0;
  } finally {
    await service.stop();
  }
}

const WIDTH = 19;

export const voices: Command = {
  flags: FLAGS,
  help: () =>
    [
      'Usage: voxgate voices [--url URL] [--json]',
      '',
      'Lists the voices of all speech services, under the names that a turn takes. Without --url: those of a gateway',
      'with the settings of the environment.',
      '',
      `  ${'--json'.padEnd(WIDTH)}the list as it came`,
      ...callerHelp(WIDTH),
    ].join('\n'),
  run,
};
