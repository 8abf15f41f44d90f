import { isDeepStrictEqual } from "node:util";
import { mapInTurns } from "../http/yieldToEventLoop.js";
import { ChangedInTransaction } from "../operation/changedInTransaction.js";
import { RowsById } from "../operation/rowsById.js";
import { namedFieldsOf, withoutMarks } from "../operation/writeMarks.js";
import { ConfigurationError, type ProblemError } from "../problem/index.js";

import { refusal } from "../resource/write/conflict.js";
import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../storage/collection.js";
import type { FailedOutcome, Outcome } from "../storage/outcome.js";
import type { InsertCall, RemoveCall, UpdateCall } from "../storage/rowsOver.js";
import type { Id } from "../storage/scalar.js";
import { type HookedParts, keyOf } from "./chain.js";
import { HookedSlice } from "./hookedSlice.js";
import { operationIdOf } from "./operationIds.js";
import { type Answers, RunningHooks, type WrittenRow } from "./runningHooks.js";
import type { HookedRow } from "./writeFacts.js";

/** How new rows are inserted when their hooks have run. */
interface Insertion {
  readonly operationIds: readonly string[];
  insert(rows: readonly NewRow[], operationIds: readonly string[] | undefined): Promise<Outcome<Row>[]>;
}

/** The rows of a collection whose writes run its hooks, within their transaction. */
export class HookedRows extends RowsById {
  readonly #parts: HookedParts;
  readonly #running: RunningHooks;
  /** The last state of rows that were written here: callers know them as they were before. */
  readonly #latest = new Map<string, Row>();

  /** What asks hooks for rows that exist: one by one, or the whole slice at once. */
  readonly #slice: HookedSlice;

  constructor(rows: Required<Collection>, parts: HookedParts) {
    super(rows);
    this.#parts = parts;
    this.#running = new RunningHooks(parts);
    this.#slice = new HookedSlice(parts, {
      ask: (hooked) => this.#ask(hooked),
      tell: (written, call) => this.#tell(written, call),
      hookedOf: ({ before, patch }) => (patch === undefined ? this.#removal(before) : this.#update(before, patch, false)),
    });
  }

  override async insert(given: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    const insert = async (rows: readonly NewRow[]) => [await this.rows.insert(rows[0] as NewRow, call)];
    const outcomes = await this.#insert([given], { operationIds: call.operationId === undefined ? [] : [call.operationId], insert }, call);
    return outcomes[0] as Outcome<Row>;
  }

  override insertMany(given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    // Hooks get the whole rows, even if the caller needs less.
    const insert = (rows: readonly NewRow[], operationIds: readonly string[] | undefined) =>
      this.rows.insertMany(rows, { ...call, returning: "row", operationIds });
    return this.#insert(given, { operationIds: call.operationIds ?? [], insert }, call);
  }

  override async update(id: Id, given: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    const before = await this.#current(id, call);
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
    const values = withoutMarks(given);
    const hooked = this.#update(before, given, call.replace === true);
    const asked = await this.#slice.ask(id, hooked);
    const { columns, problem } = asked.answers[0] ?? {};
    if (problem !== undefined) return { ok: false, why: "problem", problem };
    const pinned: UpdateCall = { ...call, ifVersion: before._version, before };
    const outcome = await this.rows.update(id, { ...values, ...columns }, pinned);
    return this.#finish(asked, hooked, outcome, call);
  }

  override async remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    const before = await this.#current(id, call);
    if (before === undefined) return this.rows.remove(id, call);
    const hooked = this.#removal(before);
    const asked = await this.#slice.ask(id, hooked);
    const problem = asked.answers[0]?.problem;
    if (problem !== undefined) return { ok: false, why: "problem", problem };
    return this.#finish(asked, hooked, await this.rows.remove(id, call), call);
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

  async #insert(given: readonly NewRow[], { operationIds, insert }: Insertion, call: Call): Promise<Outcome<Row>[]> {
    const hooked = given.map((row, index): HookedRow => {
      // A row without an operation id has an empty one in a list.
      const known = operationIds[index];
      const operationId = known ? () => known : () => operationIdOf(this.#parts.write, row, undefined);
      return { kind: "create", operationId, before: undefined, next: row, names: namedFieldsOf(row) ?? this.#changedFields(row, undefined) };
    });
    const asked = await this.#ask(hooked);
    const ready: { readonly index: number; readonly row: NewRow }[] = [];
    for (const [index, row] of given.entries()) {
      const { columns, problem } = asked.answers[index] ?? {};
      if (problem === undefined) ready.push({ index, row: Object.assign(withoutMarks(row), columns) });
    }
    const ids = operationIds.length === 0 ? undefined : ready.map(({ index }) => operationIds[index] ?? "");
    const inserted =
      ready.length === 0
        ? []
        : await insert(
            ready.map(({ row }) => row),
            ids,
          );
    const outcomes = asked.answers.map(({ problem }): Outcome<Row> => ({ ok: false, why: "problem", problem: problem as ProblemError }));
    const written: WrittenRow[] = [];
    for (const [position, { index }] of ready.entries()) {
      const outcome = inserted[position] as Outcome<Row>;
      outcomes[index] = outcome.ok ? outcome : undone(asked, outcome);
      // The hooks of a row that an earlier attempt of the same operation inserted ran then.
      if (outcome.ok && outcome.created !== false) written.push({ hooked: hooked[index] as HookedRow, stored: outcome.row });
    }
    const rows = await this.#tell(written, call);
    if (rows.every((row, index) => row === written[index]?.stored)) return outcomes;
    const latest = new Map(written.map(({ stored }, index) => [stored, rows[index] as Row]));
    return outcomes.map((outcome) => (outcome.ok ? { ...outcome, row: latest.get(outcome.row) ?? outcome.row } : outcome));
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
      const row = await this.rows.get(stored[idName] as Id, call);
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

  /** The row before its write. A version pins the row that the caller read. */
  async #current(id: Id, call: UpdateCall): Promise<Row | undefined> {
    const latest = this.#latest.get(keyOf(this.#parts.write.model.name, id));
    if (latest !== undefined) return latest;
    const isPinned = call.ifVersion !== undefined && call.before?._version === call.ifVersion;
    return isPinned ? call.before : this.rows.get(id, call);
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
