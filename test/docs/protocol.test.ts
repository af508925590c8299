// docs/protocol.md: its two tables have every message and every field of the schemas, and no message that there is not.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  connectionEventSchemas,
  serverEventSchemas as sessionEvents,
} from '../../src/dialects/native-events.ts';
import { clientMessageSchemas } from '../../src/dialects/native-messages.ts';
import { synthesisFields } from '../../src/speech/speech-request.ts';
import { readPage } from '../support/page-blocks.ts';

const serverEventSchemas = { ...sessionEvents, ...connectionEventSchemas };
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
type Depth = 'whole' | 'fields';
/** Names of the fields and, in the whole, of fields within them, and the words that they may be (but for formats). */
const namesIn = ({ properties = {}, items }: Json, depth: Depth): readonly string[] => [
  ...Object.entries(properties).flatMap(([name, field]) => {
    if (name === 'type') return [];
    const words = name === 'format' ? [] : (field.enum ?? []);
    return depth === 'fields' ? [name] : [name, ...words, ...namesIn(field, depth)];
  }),
  ...(items === undefined ? [] : namesIn(items, depth)),
];

/** Told once, below the table. */
const isSynthesis = (name: string) => Object.hasOwn(synthesisFields, name);
/** An append takes what a speak takes; a configuration and a list of words are as those of `configure` and `caption`. */
const AS_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  append: ['format', 'sampleRate', 'cache', 'upstream', 'prefer', 'lastResort', 'lastResortText'],
};
const SHALLOW = ['append', 'configured', 'words'];

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
    if (type === 'append') expect(told).toContain('what `speak` takes');
    else if (type === 'configure' || type === 'speak') expect(told).toContain('synthesis fields');
    const names = namesIn(z.toJSONSchema(schema) as Json, SHALLOW.includes(type) ? 'fields' : 'whole');
    for (const name of names.filter((each) => !isSynthesis(each) && !AS_ELSEWHERE[type]?.includes(each)))
      expect(told, name).toMatch(new RegExp(`[\`"]${name}[\`"]`));
  });

  it('tells the synthesis fields', () => {
    for (const name of Object.keys(synthesisFields))
      expect(sectionOf('Client → gateway')).toContain(`\`${name}\``);
  });
});
