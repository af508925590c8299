import { Parser } from '@asyncapi/parser';
import { describe, expect, it } from 'vitest';
import { asyncApiDocument } from '../../src/dialects/asyncapi.ts';
import { connectionEventSchemas, serverEventSchemas } from '../../src/dialects/native-events.ts';
import { clientMessageSchemas } from '../../src/dialects/native-messages.ts';

describe('asyncapi document', () => {
  const document = asyncApiDocument('1.2.3', new URL('http://127.0.0.1:8080'));

  it('is valid AsyncAPI 3', async () => {
    const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document));
    expect(diagnostics.filter(({ severity }) => severity === 0)).toEqual([]);
    expect(parsed?.version()).toBe('3.0.0');
    expect(parsed?.info().version()).toBe('1.2.3');
    expect(parsed?.channels().get('session')?.description()).toContain('?agent=ID');
    const namesOf = (operation: string) =>
      parsed
        ?.operations()
        .get(operation)
        ?.messages()
        .all()
        .map((message) => message.name())
        .sort();
    expect(namesOf('fromClient')).toEqual(Object.keys(clientMessageSchemas).sort());
    expect(namesOf('toClient')).toEqual(
      [...Object.keys(serverEventSchemas), ...Object.keys(connectionEventSchemas), 'audio-bytes'].sort(),
    );
  });

  it('describes every message, with its required fields and no room for others', () => {
    const { messages } = document.components as {
      messages: Record<
        string,
        { summary: string; payload: { required?: string[]; additionalProperties?: boolean } }
      >;
    };
    for (const [key, { summary, payload }] of Object.entries(messages)) {
      expect([key, summary.length > 10]).toEqual([key, true]);
      if (key === 'server-audio-bytes') continue;
      expect([key, payload.additionalProperties, payload.required?.[0]]).toEqual([key, false, 'type']);
    }
    expect(messages['client-speak']!.payload.required).toEqual(['type', 'turn']);
  });
});
