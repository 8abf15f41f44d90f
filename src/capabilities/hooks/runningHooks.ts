import type { RuleParts } from "../../engine/calls/ruleTransaction.js";
import { noteHookFault } from "../../engine/operation/write/hookFaults.js";
import { wholeProblems } from "../../engine/resource/define/wholeProblems.js";
import { refuseProblems } from "../../engine/resource/write/members.js";
import { whenReady } from "../../ground/http/whenReady.js";
import { mapInTurns } from "../../ground/http/yieldToEventLoop.js";
import { ConfigurationError, isRefusal, type ProblemError } from "../../ground/problem/index.js";
import type { Row } from "../../ground/storage/collection.js";
import { Retryable, Unavailable } from "../../ground/storage/errors.js";
import type { RowValues } from "../../ground/storage/values/rowValues.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import { type HookChain, type HookedParts, keyOf } from "./chain.js";
import type { CollectionHooks, Hook } from "./collectionHooks.js";
import { HookCall, type HookPlace } from "./hookCall.js";
import { hookResult } from "./hookResult.js";
import { ComingFacts, DoneFacts, type FactParts, type HookedRow, SliceFacts } from "./writeFacts.js";

/** What the hook before a write answered for one row. */
export interface Answer {
  /** Columns to set in addition. */
  readonly columns?: Readonly<Record<string, unknown>> | undefined;
  /** Why the row is not written. */
  readonly problem?: ProblemError | undefined;
}

/** The answers for rows, in their order. */
export interface Answers {
  readonly answers: readonly Answer[];
  /** Whether a hook has used the transaction: if a row cannot be written then, the transaction must be rolled back. */
  readonly isUsed: boolean;
}

/** A row that is written, with its hooks. */
export interface WrittenRow {
  readonly hooked: HookedRow;
  readonly stored: Row;
}

const unchanged: Answer = {};

/** Stands for a hook that the collection does not have, and that is never called. */
const noHook: Hook = { name: "", isOfSlice: false, isConcurrent: false, run: () => undefined };

/** Runs the hooks of a collection. */
export class RunningHooks {
  readonly #hooks: CollectionHooks;
  readonly #facts: FactParts;
  readonly #places: Readonly<Record<"before" | "after", HookPlace>>;
  readonly #chain: HookChain;
  /** The rows that the hooks themselves have written. */
  readonly #touched = new Set<string>();
  #usesSql = false;

  constructor(parts: HookedParts) {
    const { hooks, write, chain } = parts;
    this.#hooks = hooks;
    this.#facts = { read: hooks.read, writer: write.writer };
    const { principal, requestId } = write.writer;
    const rule: RuleParts = { environment: chain.environment, tx: write.tx, tenant: principal.tenant, requestId };
    const collection = write.model.name;
    const nested = () => chain.within(collection, this.#touched);
    const placeOf = (hook: Hook = noHook): HookPlace => ({ rule, nested, collection, hook });
    this.#places = { before: placeOf(hooks.before), after: placeOf(hooks.after) };
    this.#chain = chain;
  }

  /** Whether hooks may have changed a row since it was written. */
  mayHaveChanged(key: string): boolean {
    return this.#usesSql || this.#touched.has(key);
  }

  /** The rows that hooks have written since the last call; `undefined` if that may be any. */
  takeChanges(): readonly string[] | undefined {
    const changes = this.#usesSql ? undefined : [...this.#touched];
    this.#touched.clear();
    this.#usesSql = false;
    return changes;
  }

  /** Asks what comes before writes. @throws what a hook throws, unless that refuses its row and nothing has to be rolled back */
  async ask(rows: readonly HookedRow[]): Promise<Answers> {
    const { before, resource } = this.#hooks;
    this.#chain.requireEnd(resource.name);
    if (before === undefined || rows.length === 0) return { answers: rows.map(() => unchanged), isUsed: false };
    let isUsed = false;
    const noteUse = (call: HookCall) => {
      isUsed ||= call.isUsed;
      this.#usesSql ||= call.usesSql;
    };
    const answers = before.isOfSlice ? await this.#askSlice(before, rows, noteUse) : await mapRows(rows, (row) => this.#askOne(before, row, noteUse));
    for (const { kind, before: row } of this.#touched.size === 0 ? [] : rows) {
      if (kind !== "create" && row !== undefined && this.#touched.has(keyOf(resource.name, row[resource.id.name] as Id))) {
        throw new ConfigurationError(`${resource.name}: "${before.name}" wrote the row that it is called for; return the changes instead.`);
      }
    }
    return { answers, isUsed };
  }

  /** Runs what comes after writes. */
  async tell(written: readonly WrittenRow[]): Promise<void> {
    const { after } = this.#hooks;
    if (after === undefined || written.length === 0) return;
    if (after.isOfSlice) {
      const call = this.#call(after, written[0]?.hooked.operationId);
      const writes = written.map(({ hooked, stored }) => new DoneFacts(hooked, stored, this.#facts, call));
      await this.#guarded(call, after, new SliceFacts(writes, this.#facts.writer, call));
      return;
    }
    await mapRows(written, ({ hooked, stored }) => {
      const call = this.#call(after, hooked.operationId);
      return this.#guarded(call, after, new DoneFacts(hooked, stored, this.#facts, call));
    });
  }

  /** Asks for one row. What waits for nothing is answered at once: a promise a row would cost more than most hooks. */
  #askOne(hook: Hook, row: HookedRow, noteUse: (call: HookCall) => void): Answer | Promise<Answer> {
    const call = this.#call(hook, row.operationId);
    const fail = (error: unknown): Answer => {
      noteUse(call);
      if (isRefusal(error) && !call.isUsed) return { problem: error };
      throw faultOf(error);
    };
    const end = (answer: Answer): Answer => {
      noteUse(call);
      return answer;
    };
    let answer: Answer | Promise<Answer>;
    try {
      const given = this.#run(call, hook, new ComingFacts(row, this.#facts, call));
      answer = whenReady(given, (result) => this.#answer(hook, row, result));
    } catch (error) {
      return fail(error);
    }
    return answer instanceof Promise ? answer.then(end, fail) : end(answer);
  }

  async #askSlice(hook: Hook, rows: readonly HookedRow[], noteUse: (call: HookCall) => void): Promise<readonly Answer[]> {
    const call = this.#call(hook, rows[0]?.operationId);
    try {
      const writes = rows.map((row) => new ComingFacts(row, this.#facts, call));
      const given = await this.#run(call, hook, new SliceFacts(writes, this.#facts.writer, call));
      if (!Array.isArray(given) || given.length !== rows.length) {
        throw new ConfigurationError(
          `${this.#hooks.resource.name}: "${hook.name}" must return an array with one entry for each of the ${rows.length} writes.`,
        );
      }
      return await mapInTurns(rows, async (row, index) => {
        try {
          return await this.#answer(hook, row, given[index]);
        } catch (error) {
          if (isRefusal(error) && !call.isUsed) return { problem: error };
          throw error;
        }
      });
    } catch (error) {
      // Which of several rows was refused is not known: they are written one by one then.
      if (isRefusal(error) && !call.isUsed && rows.length === 1) return [{ problem: error }];
      throw faultOf(error);
    } finally {
      noteUse(call);
    }
  }

  #guarded(call: HookCall, hook: Hook, facts: object): void | Promise<void> {
    const end = () => {
      this.#usesSql ||= call.usesSql;
    };
    const fail = (error: unknown) => {
      end();
      throw faultOf(error);
    };
    let result: unknown;
    try {
      result = this.#run(call, hook, facts);
    } catch (error) {
      return fail(error);
    }
    return result instanceof Promise ? result.then(end, fail) : end();
  }

  #run(call: HookCall, hook: Hook, facts: object): unknown {
    return call.run(() => hook.run(facts));
  }

  #call(hook: Hook, operationId = () => ""): HookCall {
    return new HookCall(hook === this.#hooks.before ? this.#places.before : this.#places.after, operationId);
  }

  /** @throws {ProblemError} VALIDATION_FAILED if the whole row breaks a refinement */
  #answer(hook: Hook, row: HookedRow, result: unknown): Answer | Promise<Answer> {
    const { resource } = this.#hooks;
    if (result === undefined) return unchanged;
    if (row.kind === "remove") throw new ConfigurationError(`${resource.name}: "${hook.name}" returned changes for a removal.`);
    const columns = hookResult(resource, hook.name, row.next, result);
    if (resource.validateWhole === undefined && !(columns instanceof Promise)) return { columns };
    return this.#validated(row, columns);
  }

  async #validated({ next }: HookedRow, given: RowValues | undefined | Promise<RowValues>): Promise<Answer> {
    const { resource } = this.#hooks;
    const columns = await given;
    if (resource.validateWhole !== undefined) refuseProblems(await wholeProblems(resource, { ...next, ...columns }));
    return { columns };
  }
}

/** A single row does not wait for a turn of the event loop: who writes rows one by one does that. */
async function mapRows<Item, R>(rows: readonly Item[], map: (row: Item) => R | Promise<R>): Promise<R[]> {
  const [first] = rows;
  return rows.length === 1 && first !== undefined ? [await map(first)] : mapInTurns(rows, map);
}

/** An error that no client caused is noted as one of a hook. A conflict with another transaction must arrive at its retry as it is. */
function faultOf(error: unknown): unknown {
  return isRefusal(error) || error instanceof Retryable || error instanceof Unavailable ? error : noteHookFault(error);
}
