import { describe, expect, it } from 'vitest';
import { readOutsideUrl } from '../../../src/service/fetch/outside-url.ts';
import { REFUSED_AS_WRITTEN } from './ssrf-corpus.ts';

describe('readOutsideUrl', () => {
  it.each(REFUSED_AS_WRITTEN)('refuses %s', (url) => {
    expect(readOutsideUrl(url, 'refused').ok).toBe(false);
  });

  it.each([
    ['http://example.com', 'http://example.com/'],
    ['HTTPS://Example.COM:443/a?b=c#d', 'https://example.com/a?b=c'],
    ['https://example.com:8443/', 'https://example.com:8443/'],
    ['http://example.com:1024/', 'http://example.com:1024/'],
    ['http://example.com:443/', 'http://example.com:443/'],
    ['http://example.com./', 'http://example.com/'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['http://[2606:4700::1111]/', 'http://[2606:4700::1111]/'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
  ])('takes %s', (given, read) => {
    const answer = readOutsideUrl(given, 'refused');
    expect(answer.ok && answer.url.href).toBe(read);
  });

  it('reads a redirect from where it came', () => {
    const base = new URL('https://example.com/a/b?secret');
    const href = (location: string) => {
      const read = readOutsideUrl(location, 'refused', base);
      return read.ok ? read.url.href : read.problem;
    };
    expect(href('c')).toBe('https://example.com/a/c');
    expect(href('//other.example/')).toBe('https://other.example/');
    expect(href('//127.1/')).toMatch(/127\.0\.0\.1/);
  });

  it('names the host at most', () => {
    const read = readOutsideUrl('http://127.0.0.1/path-secret?query-secret', 'refused');
    expect(read.ok ? '' : read.problem).toMatch(/127\.0\.0\.1/);
    expect(JSON.stringify(read)).not.toMatch(/secret/);
    expect(JSON.stringify(readOutsideUrl('http://u:secret@127.0.0.1/', 'refused'))).not.toMatch(/secret/);
  });

  it('lets private hosts be when told so, but no other scheme and no credentials', () => {
    expect(readOutsideUrl('http://localhost:81/', 'allowed').ok).toBe(true);
    expect(readOutsideUrl('file:///etc/passwd', 'allowed').ok).toBe(false);
    expect(readOutsideUrl('http://u:p@localhost/', 'allowed').ok).toBe(false);
  });
});
