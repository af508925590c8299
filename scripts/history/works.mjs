// Jobs and PlayNotes of a history trial: made with a key at one instance, asked for again with it at others, a second PlayNote of a user in
// between, polled, fetched, and their messages to the webhook.

import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../instances.mjs';
import { SOURCE } from '../spoken-upstream.mjs';
import { harmsOf } from './history.mjs';

const KINDS = { job: 'tts', note: 'playnotes' };
const ENDED = /^(completed|failed|cancelled)$/;
const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');
/** What was accepted goes on by itself when its instance died: 30 s of lease, and a wait for quota. */
const END_MS = 180_000;
/** What an instance may have sent that was killed is kept for two minutes: while one after the other is killed, works wait. */
const LATEST_MS = 900_000;

/** Takes messages to the webhook; the first attempt of some is refused, so that they are repeated. */
export function createHook(history, draw) {
  /** By message id, and by work the types and ids of its ends. */
  const [came, ends] = [new Map(), new Map()];
  return {
    ends,
    async take(request, response) {
      const id = request.headers['webhook-id'];
      const { type, data } = JSON.parse(await text(request));
      const times = (came.get(id) ?? 0) + 1;
      came.set(id, times);
      history.note('message', { id, type, work: data.id });
      if (times > 1) history.count('messagesRepeated');
      if (/completed|failed/.test(type))
        ends.set(data.id, (ends.get(data.id) ?? new Set()).add(`${type} ${id}`));
      response.writeHead(times === 1 && draw.isIn(0.1) ? 500 : 204).end();
    },
  };
}

export function createWorks({ instances, asking, history, hook, isOver }) {
  const { places, hookUrl } = instances;
  /** {kind, user, key, id, state, digest} of each that was acknowledged. */
  const works = [];
  const forms = {
    tts: (key) => ({
      json: {
        model: 'VoxDialog',
        text: `${key}. ${SOURCE.repeat(3)}`,
        voice: 'voice://a',
        webHookUrl: hookUrl,
      },
    }),
    playnotes: (key) => ({
      form() {
        const form = new FormData();
        form.set('sourceFile', new Blob([SOURCE], { type: 'text/plain' }), `${key}.txt`);
        for (const [name, value] of Object.entries({
          ...{ synthesisStyle: 'podcast', voice1: 'voice://a', voice1Name: 'Ann', webHookUrl: hookUrl },
        }))
          form.set(name, value);
        return form;
      },
    }),
  };
  /** Anywhere: at the balancer or at an instance. */
  const anywhere = (draw) => (draw.isIn(0.4) ? undefined : draw.of(places));
  const create = (place, { kind, user, key }) =>
    asking.once(place, user, 'POST', `/api/v1/${kind}`, {
      ...forms[kind](key),
      headers: { 'idempotency-key': key },
    });
  const look = async (place, work) => {
    const before = work.state;
    const answer = await asking.once(place, work.user, 'GET', `/api/v1/${work.kind}/${work.id}`);
    if (answer?.json === undefined) return undefined;
    const { status } = answer.json;
    if (ENDED.test(before) && status !== before)
      history.violation(`${work.kind} ${work.id} was ${before} and is ${status}`);
    if (!ENDED.test(work.state)) work.state = status;
    if (status === 'failed' && !work.isTold) {
      work.isTold = true;
      history.violation(
        `${work.kind} ${work.id} failed: ${JSON.stringify(answer.json.error ?? answer.json.errorMessage)}`,
      );
    }
    return answer.json;
  };
  /** Acknowledged: with the id that it has had before. */
  function acknowledged(work, { json }) {
    if (work.id === undefined) {
      Object.assign(work, { id: json.id, state: 'new' });
      works.push(work);
      history.count(work.kind);
    } else if (work.id !== json.id) history.violation(`key ${work.key} has made ${work.id} and ${json.id}`);
  }
  /** Until it is acknowledged; undefined when it was refused because another one is under way, and cannot have been made. */
  async function made(work, draw) {
    for (let isOpen = false; ; ) {
      const answer = await create(anywhere(draw), work);
      if (answer === undefined) isOpen = true;
      else if (answer.status === 201) {
        acknowledged(work, answer);
        return work;
      } else if (answer.status !== 403 || work.kind !== 'playnotes')
        throw new Error(`${work.kind} of ${work.user}: ${answer.status} ${answer.said}`);
      else if (!isOpen) return undefined;
      await pause(draw.between(200, 1500));
    }
  }
  async function repeat(work, draw) {
    for (let times = Math.floor(draw.between(0, 3)); times > 0; times -= 1) {
      const answer = await create(anywhere(draw), work);
      if (answer?.status === 201) acknowledged(work, answer);
      else if (answer !== undefined)
        history.violation(`key ${work.key}, again: ${answer.status} ${answer.said}`);
    }
  }
  async function fetchFile(place, work, address) {
    const { pathname, search } = new URL(address);
    const answer = await asking.once(place, work.user, 'GET', pathname + search);
    if (answer === undefined) return;
    const digest = digestOf(answer.said);
    history.count('files');
    work.digest ??= digest;
    if (answer.status !== 200 || digest !== work.digest)
      history.violation(
        `the file of ${work.id} at instance ${place?.at}: ${answer.status}, ${answer.said.length} bytes`,
      );
  }
  const fileOf = (json) => json.output?.url ?? json.audioUrl;

  /** At most one PlayNote of a user is under way, wherever that is looked for; `before`: acknowledged before this one was asked for. */
  async function judgeActive(user, before, draw) {
    const answer = await asking.once(anywhere(draw), user, 'GET', '/api/v1/playnotes?limit=100');
    const active = (answer?.json ?? []).filter(({ status }) => !ENDED.test(status));
    if (active.length > 1) history.violation(`${user} has ${active.length} PlayNotes under way`);
    for (const work of before)
      if (!ENDED.test(work.state)) {
        const json = await asking.answered(
          () => draw.of(places),
          END_MS,
          user,
          'GET',
          `/api/v1/playnotes/${work.id}`,
        );
        if (!ENDED.test(json.json?.status))
          history.violation(`${user} has two PlayNotes under way, the older one is ${work.id}`);
      }
  }
  async function wait(work, draw) {
    const fromMs = performance.now();
    await until(
      `the end of ${work.kind} ${work.id}`,
      async () => {
        await pause(draw.between(200, 1500));
        const json = await look(anywhere(draw), work);
        return ENDED.test(work.state) && json;
      },
      LATEST_MS,
    );
    const tookMs = performance.now() - fromMs;
    history.counts.longestWorkS = Math.max(history.counts.longestWorkS ?? 0, Math.round(tookMs / 1000));
    if (tookMs > END_MS) history.count('worksLate');
    if (tookMs > END_MS && harmsOf(places, fromMs).length === 0)
      history.violation(`${work.kind} ${work.id} took ${Math.round(tookMs / 1000)} s`);
  }
  return {
    works,
    async makeJobs(draw) {
      const under = new Set();
      for (let n = 0; !isOver(); n += 1) {
        const work = { kind: KINDS.job, user: 'ann', key: `job-${n}` };
        const life = made(work, draw)
          .then(() => repeat(work, draw))
          .then(() => wait(work, draw))
          .catch((error) => history.violation(error.message))
          .finally(() => under.delete(life));
        under.add(life);
        await pause(draw.between(4000, 12_000));
      }
      await Promise.all(under);
    },
    async makeNotes(user, draw) {
      for (let n = 0; !isOver(); n += 1) {
        const work = { kind: KINDS.note, user, key: `${user}-${n}` };
        const before = works.filter((each) => each.user === user && each.kind === KINDS.note);
        if ((await made(work, draw)) === undefined) {
          history.violation(`a PlayNote of ${user} is refused, and none is known to be under way`);
          continue;
        }
        await judgeActive(user, before, draw);
        await repeat(work, draw);
        let second = 0;
        const ended = wait(work, draw);
        ended.catch(() => {});
        while (!ENDED.test(work.state) && second < 6) {
          const another = { kind: KINDS.note, user, key: `${user}-${n}-${second++}` };
          const both = works.filter((each) => each.user === user && each.kind === KINDS.note);
          if ((await made(another, draw)) === undefined) history.count('secondNotesRefused');
          else {
            history.count('secondNotesMade');
            await judgeActive(user, both, draw);
            await wait(another, draw);
          }
          await pause(draw.between(500, 3000));
        }
        await ended;
        await pause(draw.between(500, 8000));
      }
    },
    /** Anything that was acknowledged, looked for anywhere. */
    async poll(draw) {
      while (!isOver()) {
        await pause(draw.between(200, 1500));
        if (works.length === 0) continue;
        const work = draw.of(works);
        const place = anywhere(draw);
        const json = await look(place, work);
        if (json !== undefined && json.status === 'completed') await fetchFile(place, work, fileOf(json));
      }
    },
    /** When nothing is hurt any more: each is ended, known and served everywhere, made once and told of once. */
    async judge(users, draw) {
      for (const work of works) {
        await wait(work, draw);
        for (const place of places) {
          const json = await look(place, work);
          if (json?.status === 'completed') await fetchFile(place, work, fileOf(json));
        }
        const answer = await create(draw.of(places), work);
        if (answer?.status === 201) acknowledged(work, answer);
        else history.violation(`key ${work.key}, at the end: ${answer?.status} ${answer?.said}`);
      }
      for (const user of users)
        for (const kind of Object.values(KINDS)) {
          const listed = [];
          for (let at = `/api/v1/${kind}?limit=100`; at !== undefined; ) {
            const { json, headers } = await asking.answered(() => undefined, 30_000, user, 'GET', at);
            listed.push(...json.map(({ id }) => id));
            const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
            at =
              next === undefined
                ? undefined
                : new URL(next, instances.url).pathname + new URL(next, instances.url).search;
          }
          const own = works.filter((work) => work.user === user && work.kind === kind).map(({ id }) => id);
          const odd = [
            ...listed.filter((id) => !own.includes(id)),
            ...own.filter((id) => !listed.includes(id)),
          ];
          if (odd.length > 0 || listed.length !== own.length)
            history.violation(`${user} has ${listed.length} ${kind} instead of ${own.length}: ${odd.join()}`);
        }
      await until(
        'the last messages to the webhook',
        () => works.every(({ id }) => hook.ends.has(id)),
        120_000,
      ).catch((error) =>
        history.violation(
          `${error.message} of ${works
            .filter(({ id }) => !hook.ends.has(id))
            .map(({ id }) => id)
            .join()}`,
        ),
      );
      for (const [id, told] of hook.ends)
        if (told.size !== 1)
          history.violation(`the end of ${id} is told in ${told.size} ways: ${[...told].join()}`);
    },
  };
}
