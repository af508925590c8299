import type { FastifyReply, FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { linkNextPage } from '../../../src/http/server/page-link.ts';

const linkOf = (url: string, query: object, next: string | undefined): string | undefined => {
  let link: string | undefined;
  const reply = {
    header(name: string, value: string) {
      expect(name).toBe('Link');
      link = value;
    },
  };
  linkNextPage({ url, query } as unknown as FastifyRequest, reply as unknown as FastifyReply, next);
  return link;
};

describe('the link to the next page', () => {
  it('is not there on the last page', () => {
    expect(linkOf('/api/v1/tts?limit=2', { limit: 2 }, undefined)).toBeUndefined();
  });

  it('keeps the length of the page and replaces the cursor', () => {
    expect(linkOf('/api/v1/tts?cursor=old&limit=2', { cursor: 'old', limit: 2 }, 'new')).toBe(
      '</api/v1/tts?cursor=new&limit=2>; rel="next"',
    );
  });

  it('cannot be left by what a query holds', () => {
    const link = linkOf('/api/v1/tts?x', { limit: '>; rel="evil"' }, 'a b>')!;
    expect(link).toMatch(/^<[^<> "]+>; rel="next"$/);
    expect(new URL(link.slice(1, link.indexOf('>')), 'http://x').searchParams.get('cursor')).toBe('a b>');
  });
});
