// Every event of the log that has a name, and what counts it: an event that is not here does not compile. What ended by a
// failure or was not let in is counted by its code; what another series counts is named by that; all others have a series
// of their own.

/** Of what a line tells that it ended by a failure, or was not let in. */
export const FAILURES_OF = ['upgrade', 'session', 'turn', 'leg', 'request', 'work', 'upstream'] as const;
export type FailureOf = (typeof FAILURES_OF)[number];

export const FAILURES_SERIES = 'voxgate_failures_total';
export const EVENTS_SERIES = 'voxgate_events_total';

type EventRow = {
  /** The series that counts it. */
  readonly countedBy: string | undefined;
  /** Its lines with a `code` are failures of this. */
  readonly failureOf?: FailureOf;
  /** Strangers or an outage can cause it in any number: its lines are bounded. */
  readonly isBounded?: true;
};

const failure = (failureOf: FailureOf): EventRow => ({ countedBy: FAILURES_SERIES, failureOf });
const bounded = (row: EventRow): EventRow => ({ ...row, isBounded: true });
const byItself: EventRow = { countedBy: EVENTS_SERIES };
/** There is nothing yet that could be scraped, or nothing any more. */
const uncounted: EventRow = { countedBy: undefined };
const by = (countedBy: string): EventRow => ({ countedBy });

export const LOG_EVENTS = {
  // What ends, and what is not let in.
  session_ended: { countedBy: 'voxgate_ws_closes_total', failureOf: 'session' },
  session_detached: bounded(byItself),
  session_resumed: bounded(byItself),
  session_taken_over: bounded(byItself),
  session_lost: bounded(byItself),
  session_not_journaled: bounded(byItself),
  journal_not_readable: bounded(byItself),
  upgrade_refused: bounded(failure('upgrade')),
  turn_failed: bounded(failure('turn')),
  leg_ended: failure('leg'),
  leg_refused: bounded(failure('leg')),
  leg_without_call: bounded(failure('leg')),
  leg_codec_not_served: bounded(failure('leg')),
  request_ended: by('voxgate_http_requests_total'),
  request_refused: bounded(failure('request')),
  request_failed: bounded(failure('request')),
  onlooker_let_go: bounded(byItself),
  work_ended: { countedBy: 'voxgate_works_total', failureOf: 'work' },
  upstream_gave_up: bounded(failure('upstream')),
  upstream_answered: by('voxgate_upstream_requests_total'),
  upstream_cancelled: byItself,
  upstream_retry: bounded(by('voxgate_upstream_retries_total')),
  webhook_attempt: by('voxgate_webhook_attempts_total'),
  webhook_given_up: bounded(by('voxgate_webhook_attempts_total')),
  lines_left_out: byItself,

  // Keys, and the stores that count for them.
  upstream_key_cools: byItself,
  upstream_service: byItself,
  health_webhook_given_up: by('voxgate_health_webhooks_total'),
  quota_refused: byItself,
  quota_limit: byItself,
  quota_rule: byItself,
  quota_windows_found: byItself,
  quota_local: byItself,
  quota_shared: byItself,
  learned_quotas_ignored: byItself,
  learned_quotas_not_saved: byItself,
  redis_error: byItself,
  redis_not_reachable: byItself,
  instance_found: byItself,
  instance_gone: byItself,
  instance_not_answering: bounded(byItself),
  instance_question_failed: bounded(byItself),
  instance_note_refused: bounded(byItself),
  generation_slot_not_renewed: byItself,
  generation_slot_not_released: byItself,

  // The disk.
  data_folder_lost: byItself,
  records_taken_over: byItself,
  records_not_written: byItself,
  records_log_not_emptied: byItself,
  storage_not_writable: byItself,
  storage_writable_again: byItself,
  unknown_files_left: byItself,
  old_works_not_removed: byItself,
  database_not_reachable: byItself,
  database_reachable_again: byItself,
  files_not_reachable: byItself,
  files_reachable_again: byItself,
  agent_record_not_written: byItself,
  webhook_not_written: byItself,

  // Programs, processes and threads.
  engine_program_missing: byItself,
  engine_program_died: byItself,
  engine_process_died: byItself,
  engine_process_started: byItself,
  engine_process_failed: byItself,
  engine_start_overdue: byItself,
  engine_sentence_overdue: byItself,
  engine_request_failed: byItself,
  engine_sentence_refused: byItself,
  engine_speaks: by('voxgate_upstream_requests_total'),
  word_timer_died: byItself,
  word_timer_failed: byItself,
  word_timer_behind: byItself,
  word_timing_failed: byItself,
  reference_speech_failed: byItself,
  speech_endings_late: byItself,
  encoder_thread_died: byItself,
  encoder_thread_not_started: byItself,
  encoder_client_failed: byItself,
  ffmpeg_failed: byItself,
  reading_over_deadline: byItself,
  reading_thread_died: byItself,
  reading_broke: byItself,
  audiosocket_listener_failed: byItself,
  player_died: byItself,
  player_started: byItself,
  player_not_started: byItself,
  process_not_reading: byItself,
  process_question_unknown: byItself,
  process_news_unknown: byItself,
  process_message_broken: byItself,
  request_not_passed_on: byItself,

  // Of the command, before and after the gateway.
  listening: uncounted,
  stopping: uncounted,
  stopped: uncounted,
} as const satisfies Readonly<Record<string, EventRow>>;

/** About a fault of ours, a setting, or for whoever looks for one: no operator looks it up by its name. */
export type LogSentence = `${string} ${string}`;
export type LogEvent = keyof typeof LOG_EVENTS | LogSentence;

/** Events that nothing else counts. */
export const EVENTS_COUNTED: readonly string[] = Object.entries(LOG_EVENTS)
  .filter(([, { countedBy }]) => countedBy === EVENTS_SERIES)
  .map(([event]) => event);

/** Undefined: a sentence, about a fault of ours where it is a warning or an error. */
export const eventRow = (event: LogEvent): EventRow | undefined =>
  Object.hasOwn(LOG_EVENTS, event) ? LOG_EVENTS[event as keyof typeof LOG_EVENTS] : undefined;
