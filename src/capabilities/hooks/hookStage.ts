import { isDeepStrictEqual } from "node:util";
import { ChangedInTransaction } from "../../engine/operation/write/changedInTransaction.js";
import { type Creation, createOthers, type Need, type Removal, type Update, type WriteStage } from "../../engine/operation/write/stage.js";
import { namedFieldsOf, withoutMarks } from "../../engine/operation/write/writeMarks.js";
import { refusal } from "../../engine/resource/write/conflict.js";
import { mapInTurns } from "../../ground/http/yieldToEventLoop.js";
import { ConfigurationError } from "../../ground/problem/index.js";
import type { Call, Row, RowPatch } from "../../ground/storage/collection.js";
import type { FailedOutcome, Outcome } from "../../ground/storage/outcome.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import { type HookedParts, keyOf } from "./chain.js";
import { HookedSlice } from "./hookedSlice.js";
import { operationIdOf } from "./operationIds.js";
import { type Answers, RunningHooks, type WrittenRow } from "./runningHooks.js";
import type { HookedRow } from "./writeFacts.js";

/** Runs the hooks of a collection around its writes, within their transaction. */
export class HookStage implements WriteStage {
  readonly #parts: HookedParts;
  readonly #running: RunningHooks;
  /** The last state of rows that were written here: callers know them as they were before. */
  readonly #latest = new Map<string, Row>();

  /** What asks hooks for rows that exist: one by one, or the whole slice at once. */
  readonly #slice: HookedSlice;

  constructor(parts: HookedParts) {
    this.#parts = parts;
    this.#running = new RunningHooks(parts);
    this.#slice = new HookedSlice(parts, {
      ask: (hooked) => this.#ask(hooked),
      tell: (written, call) => this.#tell(written, call),
      hookedOf: ({ before, patch }) => (patch === undefined ? this.#removal(before) : this.#update(before, patch, false)),
    });
  }

  needsForUpdate(): Need {
    return "pinned";
  }

  needsForRemoval(): Need {
    return "read";
  }

  latest(id: Id): Row | undefined {
    return this.#latest.get(keyOf(this.#parts.write.model.name, id));
  }

  async update(update: Update, next: (update: Update) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const { id, before, patch, call } = update;
    if (before === undefined) return next(update);
    const hooked = this.#update(before, patch, call.replace === true);
    const asked = await this.#slice.ask(id, hooked);
    const { columns, problem } = asked.answers[0] ?? {};
    if (problem !== undefined) return { ok: false, why: "problem", problem };
    return this.#finish(asked, hooked, await next({ ...update, patch: { ...withoutMarks(patch), ...columns } }), call);
  }

  async remove(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const { id, before, isGone, call } = removal;
    if (before === undefined || isGone) return next(removal);
    const hooked = this.#removal(before);
    const asked = await this.#slice.ask(id, hooked);
    const problem = asked.answers[0]?.problem;
    if (problem !== undefined) return { ok: false, why: "problem", problem };
    return this.#finish(asked, hooked, await next(removal), call);
  }

  async create({ rows: given, call }: Creation, next: (creation: Creation) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    const hooked = given.map((row, index): HookedRow => {
      // A row without an operation id has an empty one in a list.
      const known = call.operationIds?.[index];
      const operationId = known ? () => known : () => operationIdOf(this.#parts.write, row, undefined);
      return { kind: "create", operationId, before: undefined, next: row, names: namedFieldsOf(row) ?? this.#changedFields(row, undefined) };
    });
    const asked = await this.#ask(hooked);
    const refusals = new Map<number, Outcome<Row>>();
    for (const [index, { problem }] of asked.answers.entries())
      if (problem !== undefined) refusals.set(index, { ok: false, why: "problem", problem });
    const rows = given.map((row, index) => Object.assign(withoutMarks(row), asked.answers[index]?.columns));
    // Hooks get the whole rows, even if the caller needs less.
    const outcomes = await createOthers({ rows, call: { ...call, returning: "row" } }, refusals, next);
    const written: WrittenRow[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if (refusals.has(index)) continue;
      if (!outcome.ok) undone(asked, outcome);
      // The hooks of a row that an earlier attempt of the same operation inserted ran then.
      else if (outcome.created !== false) written.push({ hooked: hooked[index] as HookedRow, stored: outcome.row });
    }
    const latest = await this.#tell(written, call);
    if (latest.every((row, index) => row === written[index]?.stored)) return outcomes;
    const known = new Map(written.map(({ stored }, index) => [stored, latest[index] as Row]));
    return outcomes.map((outcome) => (outcome.ok ? { ...outcome, row: known.get(outcome.row) ?? outcome.row } : outcome));
  }

  #update(before: Row, given: RowPatch, isReplacement: boolean): HookedRow {
    const values = withoutMarks(given);
    const { id } = this.#parts.write.model;
    const next = isReplacement ? { ...values, [id]: before[id] } : { ...before, ...values };
    const names = namedFieldsOf(given) ?? this.#changedFields(values, before);
    return { kind: "update", operationId: () => operationIdOf(this.#parts.write, given, before), before, next, names };
  }

  #removal(before: Row): HookedRow {
    return { kind: "remove", operationId: () => operationIdOf(this.#parts.write, undefined, before), before, next: undefined, names: [] };
  }

  async #finish(asked: Answers, hooked: HookedRow, outcome: Outcome<Row>, call: Call): Promise<Outcome<Row>> {
    if (!outcome.ok) return undone(asked, outcome);
    return { ...outcome, row: await this.#slice.tell({ hooked, stored: outcome.row }, call) };
  }

  /** Runs what comes after writes, and returns the rows as they stand then. */
  async #tell(written: readonly WrittenRow[], call: Call): Promise<Row[]> {
    const { chain, hooks, write } = this.#parts;
    const { name, id: idName } = write.model;
    const keys = written.map(({ stored }) => keyOf(name, stored[idName] as Id));
    for (const [index, { hooked, stored }] of written.entries()) {
      chain.noteWrite(keys[index] as string);
      if (hooked.kind === "remove") this.#latest.delete(keys[index] as string);
      else this.#latest.set(keys[index] as string, stored);
    }
    await this.#running.tell(written);
    const changed = written.map(({ hooked }, index) => hooked.kind !== "remove" && this.#running.mayHaveChanged(keys[index] as string));
    this.#forgetChanges();
    if (!changed.includes(true)) return written.map(({ stored }) => stored);
    return mapInTurns(written, async ({ stored }, index) => {
      if (changed[index] !== true) return stored;
      const row = await write.rows.get(stored[idName] as Id, call);
      if (row === undefined) throw new ConfigurationError(`${name}: "${hooks.after?.name}" removed the row that was written.`);
      this.#latest.set(keys[index] as string, row);
      return row;
    });
  }

  /** Asks what comes before writes. */
  async #ask(rows: readonly HookedRow[]): Promise<Answers> {
    const answers = await this.#running.ask(rows);
    this.#forgetChanges();
    return answers;
  }

  #forgetChanges(): void {
    const changes = this.#running.takeChanges();
    if (changes === undefined) this.#latest.clear();
    else for (const key of changes) this.#latest.delete(key);
  }

  /** The fields that a write without named ones changes. */
  #changedFields(values: Readonly<Record<string, unknown>>, before: Row | undefined): readonly string[] {
    const { fields } = this.#parts.hooks.resource;
    const named = Object.keys(values).filter((name) => fields.has(name));
    return before === undefined ? named : named.filter((name) => !isDeepStrictEqual(values[name] ?? null, before[name] ?? null));
  }
}

/**
 * The outcome of a write that failed.
 *
 * @throws {ProblemError} @throws {ChangedInTransaction} if a hook has used the transaction before, so that it must be rolled back
 */
function undone({ isUsed }: Answers, outcome: FailedOutcome<Row>): FailedOutcome<Row> {
  if (!isUsed) return outcome;
  throw refusal(outcome) ?? new ChangedInTransaction(outcome);
}
