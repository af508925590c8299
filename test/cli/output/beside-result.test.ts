// What a command says where its result goes to standard output.
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/command.ts';
import { tellBeside } from '../../../src/cli/output/beside-result.ts';
import { createFakeTerminal } from '../../support/fake-terminal.ts';

const lines = () => {
  const said: string[] = [];
  return {
    said,
    print: (line: string) => void said.push(line),
    status: (line: string) => void said.push(`status ${line}`),
  };
};
/** Standard output and standard error, each a terminal or not. */
function terminalOf(output: boolean, errors: boolean) {
  const [out, err] = [lines(), lines()];
  const terminal = {
    ...createFakeTerminal([]),
    ...out,
    isInteractive: output,
    besideResult: { ...err, isInteractive: errors },
  };
  Object.assign(terminal.output, { isTTY: output });
  return { terminal, out: out.said, err: err.said };
}
const RESULT = [{ flag: '--vtt', path: '-', holds: 'text' }] as const;

describe('what a command says', () => {
  it.each([
    // output is a terminal, errors are, --json, a result on it: where it speaks, and to whom
    [true, true, false, false, 'out', 'people'],
    [false, true, false, false, 'out', 'lines'],
    [true, true, true, false, 'out', 'lines'],
    [false, true, false, true, 'err', 'people'],
    [false, false, false, true, 'nowhere', 'nobody'],
    [false, false, true, true, 'err', 'lines'],
  ] as const)('%# goes where it does not disturb', (output, errors, json, isResult, where, tells) => {
    const { terminal, out, err } = terminalOf(output, errors);
    const told = tellBeside(terminal, { json, results: isResult ? RESULT : [] });
    told.print('a line');
    told.status('half');
    const wanted = tells === 'lines' && !(where === 'out' && !json) ? ['a line'] : ['a line', 'status half'];
    expect([told.tells, told.isInteractive]).toEqual([tells, tells === 'people']);
    expect({ out, err }).toEqual({
      out: where === 'out' ? wanted : [],
      err: where === 'err' ? wanted : [],
    });
  });

  it('is that standard output takes one result, and audio is not for a terminal', () => {
    const results = [
      { flag: '--out', path: '-', holds: 'audio' },
      { flag: '--vtt', path: '-', holds: 'text' },
    ] as const;
    const both = () => tellBeside(terminalOf(false, false).terminal, { json: false, results });
    expect(both).toThrow(new UsageError('--out and --vtt are both -; standard output takes one of them'));
    const audio = () => tellBeside(terminalOf(true, true).terminal, { json: false, results: [results[0]] });
    expect(audio).toThrow(/^--out is -, and standard output is a terminal; pipe it/);
    expect(() => tellBeside(terminalOf(true, true).terminal, { json: false, results: RESULT })).not.toThrow();
  });
});
