// Reads a Dockerfile of a strict subset into stages: enough for ours, and small enough to be sure what it means.
// Whatever lies outside the subset is an error that names its line; nothing is passed over in silence.

/** Instructions of the subset, with the flags that each may carry. */
const FLAGS = {
  ARG: [],
  FROM: [],
  WORKDIR: [],
  COPY: ['from', 'chown'],
  RUN: ['mount'],
  ENV: [],
  LABEL: [],
  EXPOSE: [],
  VOLUME: [],
  HEALTHCHECK: ['interval', 'timeout', 'start-period'],
  STOPSIGNAL: [],
  USER: [],
  ENTRYPOINT: [],
  CMD: [],
};

const fault = (line, message) => new Error(`Dockerfile:${line}: ${message}`);

/** Logical lines: comments and blanks left out, continued ones joined. */
function* logicalLines(text) {
  let joined = '';
  let startsAt = 0;
  for (const [index, physical] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(physical)) continue;
    if (joined === '') startsAt = index + 1;
    const continued = /\\\s*$/.test(physical);
    joined += physical.replace(/\\\s*$/, ' ');
    if (continued) continue;
    yield { line: startsAt, text: joined.trim() };
    joined = '';
  }
  if (joined !== '') throw fault(startsAt, 'the last line goes on into nothing');
}

/** `a=b c="d e"` as an object. */
function pairs(text, line) {
  const found = [...text.matchAll(/([\w.-]+)=("([^"]*)"|\S+)\s*/g)];
  if (found.map(([all]) => all).join('') !== text) throw fault(line, `not a list of name=value: ${text}`);
  return Object.fromEntries(found.map(([, name, bare, quoted]) => [name, quoted ?? bare]));
}

/** The exec form, without a shell: signals then reach the program itself. */
function execForm(text, line) {
  try {
    const words = JSON.parse(text);
    if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string'))
      return words;
  } catch {}
  throw fault(line, `not in exec form (["program", "argument"]): ${text}`);
}

function healthcheck(text, line) {
  const [, command] = /^CMD\s+(.*)$/.exec(text) ?? [];
  if (command === undefined) throw fault(line, 'HEALTHCHECK is not followed by CMD');
  return execForm(command, line);
}

function copy(text, line) {
  const words = text.split(/\s+/);
  if (words.length < 2) throw fault(line, 'COPY names no target');
  return { sources: words.slice(0, -1), target: words.at(-1) };
}

const readArgument = {
  ENV: pairs,
  LABEL: pairs,
  HEALTHCHECK: healthcheck,
  ENTRYPOINT: execForm,
  CMD: execForm,
  COPY: copy,
};

function readInstruction({ line, text }) {
  const [, keyword, rest] = /^([A-Z]+)\s+(.*)$/.exec(text) ?? [];
  const known = FLAGS[keyword];
  if (known === undefined) throw fault(line, `not an instruction that is checked: ${text.slice(0, 40)}`);
  const flags = {};
  let argument = rest;
  for (let flag; ; argument = argument.slice(flag[0].length)) {
    flag = /^--([a-z-]+)=(\S+)\s+/.exec(argument);
    if (flag === null) break;
    if (!known.includes(flag[1])) throw fault(line, `${keyword} --${flag[1]} is not checked`);
    flags[flag[1]] = flag[2];
  }
  if (keyword !== 'RUN' && keyword !== 'FROM' && keyword !== 'HEALTHCHECK' && argument.includes('$'))
    throw fault(line, `variables are replaced in FROM only: ${text}`);
  return { line, keyword, flags, value: readArgument[keyword]?.(argument, line) ?? argument };
}

/**
 * Stages in order: `name`, `from` (an image, or a stage before it) and `steps` of `keyword`, `flags`, `value` and
 * `line`. `value` is a text, or for COPY its sources and target, for ENV and LABEL an object, for HEALTHCHECK,
 * ENTRYPOINT and CMD the words of the command.
 */
export function parseDockerfile(text) {
  const args = {};
  const stages = [];
  for (const instruction of [...logicalLines(text)].map(readInstruction)) {
    const { line, keyword, flags, value } = instruction;
    if (keyword === 'ARG') {
      if (stages.length > 0) throw fault(line, 'ARG within a stage is not checked');
      Object.assign(args, pairs(value, line));
    } else if (keyword === 'FROM') {
      const [, image, name] = /^(\S+) AS ([a-z-]+)$/.exec(value) ?? [];
      if (name === undefined) throw fault(line, 'FROM names no stage (FROM image AS name)');
      if (stages.some((stage) => stage.name === name)) throw fault(line, `a second stage ${name}`);
      const from = image.replace(/\$\{(\w+)\}/g, (_all, variable) => {
        if (args[variable] === undefined) throw fault(line, `no ARG ${variable} above the first FROM`);
        return args[variable];
      });
      stages.push({ name, from, steps: [] });
    } else if (stages.length === 0) throw fault(line, `${keyword} before the first FROM`);
    else {
      if (flags.from !== undefined && !stages.slice(0, -1).some((stage) => stage.name === flags.from))
        throw fault(line, `no stage ${flags.from} above`);
      stages.at(-1).steps.push(instruction);
    }
  }
  return stages;
}
