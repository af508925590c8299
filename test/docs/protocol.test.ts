// docs/protocol.md: its two tables have every message and every field of the schemas, and no message that there is not.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { serverEventSchemas } from '../../src/dialects/native-events.ts';
import { clientMessageSchemas } from '../../src/dialects/native-messages.ts';
import { synthesisFields } from '../../src/speech/speech-request.ts';
import { readPage } from '../support/page-blocks.ts';

const page = readPage('docs/protocol.md');
const sectionOf = (title: string) => page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;
/** Cells of the rows, by the types that the first of them names. */
function tableOf(title: string): Map<string, string> {
  const rows = sectionOf(title)
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  return new Map(
    rows.flatMap((row) => {
      const [first = '', ...cells] = row.split(/(?<!\\)\|/).slice(1, -1);
      return [...first.matchAll(/`(\w+)`/g)].map(([, type]) => [type!, cells.join('|')] as const);
    }),
  );
}

type Json = { properties?: Record<string, Json>; enum?: readonly string[]; items?: Json };
/** Names of the fields and, but for formats, the words that they may be. */
function namesIn({ properties = {}, items }: Json): readonly string[] {
  return [
    ...Object.entries(properties).flatMap(([name, field]) =>
      name === 'type'
        ? []
        : [
            name,
            ...(name === 'format' ? [] : (field.enum ?? [])),
            ...namesIn(field),
            ...namesIn(field.items ?? {}),
          ],
    ),
    ...(items === undefined ? [] : namesIn(items)),
  ];
}

describe.each([
  ['Client → gateway', clientMessageSchemas],
  ['Gateway → client', serverEventSchemas],
] as const)('%s', (title, schemas: Readonly<Record<string, z.ZodType>>) => {
  const table = tableOf(title);

  it('has exactly the messages that there are', () => {
    expect([...table.keys()].sort()).toEqual(Object.keys(schemas).sort());
  });

  it.each(Object.entries(schemas))('%s has all of its fields', (type, schema) => {
    const told = table.get(type)!;
    const isSynthesis = (name: string) => Object.hasOwn(synthesisFields, name);
    // Those of a turn are told once, below the table; an append takes what a speak takes.
    if (type === 'append') expect(told).toContain('what `speak` takes');
    else if (type === 'configure' || type === 'speak') expect(told).toContain('synthesis fields');
    for (const name of namesIn(z.toJSONSchema(schema) as Json)) {
      if (isSynthesis(name) && type !== 'configured') continue;
      if (type === 'append' && ['format', 'sampleRate', 'cache', 'off', 'on'].includes(name)) continue;
      if (type === 'words' && ['withinMs', 'estimated', 'words', 'line'].includes(name)) continue;
      const isThere = type === 'words' || new RegExp(`[\`"{]${name}[\`":]`).test(told);
      expect(isThere, `${type}: ${name}`).toBe(true);
    }
  });

  it('tells the synthesis fields', () => {
    for (const name of Object.keys(synthesisFields))
      expect(sectionOf('Client → gateway')).toContain(`\`${name}\``);
  });
});
