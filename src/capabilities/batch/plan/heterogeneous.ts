import type { RequestCount } from "../../../engine/operation/answers/requestCount.js";
import { type Context, writeCall } from "../../../engine/operation/context.js";
import { environmentWithin } from "../../../engine/operation/environmentWithin.js";
import { stableIdOf } from "../../../engine/operation/ids/stableId.js";
import { type Operation, takesKey } from "../../../engine/operation/operation.js";
import { ShownRows } from "../../../engine/operation/rules/shownRows.js";
import type { Resource } from "../../../engine/resource/resource.js";
import { inputOf } from "../../../engine/resource/write/rowValues.js";
import type { Preferences } from "../../../ground/http/headers/prefer.js";
import { decodeSegment } from "../../../ground/http/target.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { isRefusal, ProblemError } from "../../../ground/problem/index.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { columnKind } from "../../../language/schema/field.js";
import { toInt64 } from "../../../language/schema/wire.js";
import { jobsOf } from "../../jobs/settings.js";
import { type Dispatcher, standsAlone } from "../execute/dispatcher.js";
import { failedItem } from "../execute/items/failedItem.js";
import { itemOperationId } from "../execute/items/itemContext.js";
import { lockRows } from "../execute/items/lockRows.js";
import { validateItem } from "../execute/items/validateItem.js";
import { batchOperation } from "../execute/operation.js";
import { PreparedScopes } from "../execute/preparedScopes.js";
import { DataRoom } from "../execute/results/dataRoom.js";
import { innerResult } from "../execute/results/innerResult.js";
import { ReadAnswers } from "../execute/results/readAnswers.js";
import type { IndexedResult, ItemResult } from "../execute/results/result.js";
import { type RatedResult, type StoredResult, wholeResult } from "../execute/results/storedResult.js";
import { again, type SliceWork, type Written } from "../execute/slices.js";
import { acceptsMultipart } from "../multipart/acceptsMultipart.js";
import { multipartAnswer } from "../multipart/multipartAnswer.js";
import type { SubResult } from "../references/followReference.js";
import { resolveReferences } from "../references/resolveReferences.js";
import { batchSettings } from "./batchSettings.js";
import { batchBody } from "./collectionBatches.js";
import { innerRequest } from "./innerRequest.js";
import { chooseMode } from "./mode.js";
import { type BatchPlan, planOf } from "./plan.js";
import { isMultipart, readMultipartBody, readOperations } from "./readOperations.js";
import { batchRulesOf } from "./rules.js";
import type { Suboperation } from "./suboperation.js";
import { type ValidatedOperation, validateOperations } from "./suboperations.js";

/** Collections by name, with the fields that their ids are made of. */
export type RowIds = ReadonlyMap<string, Pick<Resource, "id" | "idNames">>;

/** POST to `/batch`: mixed operations, executed in order, each through the whole service. */
export function heterogeneousOperation(dispatcher: Dispatcher, ids: RowIds, limits: Limits): Operation {
  const json = batchBody(limits);
  return batchOperation({
    name: "batch.create",
    method: "POST",
    answers: "other",
    // Each operation is authorized separately.
    access: { action: "update", collection: undefined },
    body: {
      ...json,
      accepts: (mediaType) => json.accepts(mediaType) || mediaType === "multipart/mixed" || mediaType === "multipart/form-data",
      supported: [...json.supported, "multipart/mixed", "multipart/form-data"],
      read: (bytes, contentType) => readMultipartBody(bytes, contentType, limits),
    },
    resources: ({ environment }) => dispatcher.resources(environment),
    plan: async (context, prefer) => plan(context, prefer, dispatcher, ids),
  });
}

async function plan(context: Context, prefer: Preferences, dispatcher: Dispatcher, ids: RowIds): Promise<BatchPlan> {
  const { environment, request, headers } = context;
  const chosen = chooseMode(batchRulesOf(environment), prefer);
  const validated = await validateOperations(await readOperations(context), dispatcher, {
    mode: chosen.mode,
    takesKeys: environment.idempotency?.sharesTransactions === true,
    mount: request.mount,
    targetBytes: environment.limits.targetBytes,
  });
  const labels = validated.map(({ label }) => label);
  const minimal = prefer.return === "minimal";
  const applied = minimal ? [...chosen.applied, "return=minimal"] : chosen.applied;
  const onlyReads = validated.every(({ operation }) => operation === undefined || readsOnly(operationAt(dispatcher, operation)));
  // A later attempt repeats reads.
  const work = new Operations(onlyReads ? { ...context, operationId: undefined } : context, dispatcher, ids, {
    isAtomic: chosen.mode === "atomic",
    // A job was counted when it was submitted.
    count: prefer.respondAsync === true && jobsOf(environment) !== undefined ? undefined : context.count,
  });
  const isRead = ({ index }: IndexedResult) => validated[index]?.operation?.method === "GET" || validated[index]?.operation?.method === "QUERY";
  const room = new DataRoom(environment.limits.batchBodyBytes);
  const fitted = (result: IndexedResult) => room.fit([result], result.index, isRead)[0] ?? result;
  const show = ({ rights: _, ...result }: StoredResult) =>
    labelled(minimal && !isRead(result) ? { ...result, data: undefined } : fitted(result), labels);
  return planOf({ ...chosen, applied }, validated, work, {
    // Later operations may refer to data that the response does not contain.
    keep(result: StoredResult): StoredResult {
      const shown = show(result);
      // Of too many rows the rights of a reader could not be evaluated.
      const isShown = shown.data === result.data && (result.rights === undefined || result.rights.rows !== undefined);
      return isShown ? shown : { ...shown, data: undefined, hiddenData: result.data };
    },
    show,
    collectionsOf(index) {
      const operation = validated[index]?.operation;
      const found = operationAt(dispatcher, operation);
      // A query, in the path or in a body, may include related rows.
      const hasQuery = operation?.query !== "" || (readsOnly(found) && operation.method !== "GET");
      return found?.access?.collection === undefined || hasQuery ? undefined : [found.access.collection];
    },
    onlyReads,
    operations: operationsOf(validated, dispatcher),
    ...(isMultipart(context) && acceptsMultipart(headers.get("accept")) === "multipart" ? { respond: multipartAnswer } : {}),
  });
}

function operationsOf(validated: readonly ValidatedOperation[], dispatcher: Dispatcher): ReadonlyMap<Operation, number> {
  const counts = new Map<Operation, number>();
  for (const { operation } of validated) {
    const found = operationAt(dispatcher, operation);
    if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  return counts;
}

function operationAt(dispatcher: Dispatcher, named: Suboperation | undefined): Operation | undefined {
  return named && dispatcher.find(named.method, named.path)?.operation;
}

/** Whether the operation has no effects: none that a repetition would double. */
function readsOnly(operation: Operation | undefined): boolean {
  return operation !== undefined && !takesKey(operation);
}

/** Every result names its operation, even if the operation was not executed. */
function labelled({ index, name: _, ...result }: IndexedResult, labels: readonly (string | undefined)[]): IndexedResult {
  const name = labels[index];
  return name === undefined ? { index, ...result } : { index, name, ...result };
}

/** Executes operations, and keeps their results for operations that refer to them. */
class Operations implements SliceWork<ValidatedOperation, Suboperation> {
  readonly sliceItems = 1;
  readonly commitsItself = true;
  readonly #context: Context;
  readonly #dispatcher: Dispatcher;
  readonly #ids: RowIds;
  readonly #isAtomic: boolean;
  readonly #count: RequestCount | undefined;
  readonly #results = new Map<string, SubResult>();
  readonly #scopes: PreparedScopes;
  readonly #reads: ReadAnswers;

  constructor(
    context: Context,
    dispatcher: Dispatcher,
    ids: RowIds,
    { isAtomic, count }: { readonly isAtomic: boolean; readonly count: RequestCount | undefined },
  ) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#ids = ids;
    this.#isAtomic = isAtomic;
    this.#count = count;
    this.#scopes = new PreparedScopes(context, dispatcher);
    this.#reads = new ReadAnswers(context.environment.limits.batchBodyBytes);
  }

  async recall(end: number): Promise<void> {
    const { job, environment } = this.#context;
    if (job === undefined || end === 0) return;
    const entries = (await jobsOf(environment)?.store.entries(job.job.id, -1, end)) ?? [];
    for (const { value } of entries) {
      const result = wholeResult(value as StoredResult);
      // If two operations have one name, the second one was rejected.
      if (result.name !== undefined && !this.#results.has(result.name)) this.#results.set(result.name, result);
    }
  }

  validate = (items: readonly ValidatedOperation[]) =>
    mapInTurns(items, async ({ operation, fault }) => {
      if (operation === undefined || fault !== undefined) {
        return { result: this.#failed(fault ?? new ProblemError("INVALID_BATCH", "This is not an operation.")) };
      }
      return validateItem(batchSettings(this.#context).problems, async () => {
        if (this.#isAtomic) await this.#scopes.prepare(operation);
        return operation;
      });
    });

  write = (items: readonly { readonly ready: Suboperation }[], tx: Storage | undefined) =>
    mapInTurns(items, async ({ ready }) => {
      const result = await this.#run(ready, tx);
      if (ready.name !== undefined && result !== again) this.#results.set(ready.name, result);
      return result;
    });

  /** The rows that the paths of the operations name, by collection, if their ids are known before execution. */
  lock = async (items: readonly { readonly ready: Suboperation }[], tx: Storage) => {
    const { environment, shown } = this.#context;
    // A transaction that is run again begins here.
    shown?.clear();
    this.#reads.clear();
    const named = new Map<string, Id[]>();
    for (const { ready } of items) {
      const collection = operationAt(this.#dispatcher, ready)?.access?.collection;
      const row = collection === undefined || !writesRow.has(ready.method) ? undefined : this.#ids.get(collection);
      const id = row && idIn(ready.path, row);
      if (id !== undefined && collection !== undefined) named.set(collection, [...(named.get(collection) ?? []), id]);
    }
    for (const [collection, ids] of [...named].sort(([left], [right]) => (left < right ? -1 : 1))) {
      const model = environment.models.get(collection);
      if (model !== undefined) await lockRows(tx.collection(model), model.id, ids, writeCall(this.#context));
    }
  };

  async #run(template: Suboperation, tx: Storage | undefined): Promise<Written> {
    try {
      return await this.#runOnce(template, tx);
    } catch (error) {
      if (tx !== undefined && this.#scopes.lacks(template, error)) return again;
      throw error;
    }
  }

  async #runOnce(template: Suboperation, tx: Storage | undefined): Promise<ItemResult> {
    const { environment, operationId, principal, requestId, shown, scopes } = this.#context;
    const isNoted = shown !== undefined || jobsOf(environment) !== undefined;
    const rows = scopes === undefined || !isNoted ? undefined : new ShownRows(scopes);
    // In a transaction, a retried batch has left nothing behind. Outside it may have, and the operation id identifies rows that it already inserted.
    const commitsWithRecord = this.#isAtomic && environment.idempotency?.sharesTransactions === true;
    let operation: Suboperation;
    try {
      operation = this.#resolve(template);
    } catch (error) {
      if (isRefusal(error)) return this.#failed(error);
      throw error;
    }
    const response = await this.#dispatcher.dispatch(
      {
        request: innerRequest(this.#context, operation),
        requestId,
        principal,
        environment: tx === undefined ? environment : environmentWithin(environment, tx),
        operationId: operationId === undefined || commitsWithRecord ? undefined : itemOperationId(operationId, operation.index),
        itemId: itemOperationId(stableIdOf(this.#context), operation.index),
        way: "batch",
        isKeyed: this.#context.isKeyed === true,
        count: this.#count,
        shown: rows,
        scopes: this.#isAtomic ? this.#scopes.of(operation) : undefined,
      },
      this.#isAtomic,
    );
    if (rows !== undefined) shown?.merge(rows);
    const found = operationAt(this.#dispatcher, operation);
    const excess = readsOnly(found) ? this.#reads.add(response.body) : undefined;
    if (excess !== undefined) return this.#failed(excess);
    const result = await innerResult(response, this.#ids.get(found?.access?.collection ?? "")?.idNames ?? []);
    const rated: RatedResult = rows === undefined ? result : { ...result, rights: { rows: rows.ids } };
    return rated;
  }

  /** The path with its values must match the same endpoint as the path with its references: a value may spell a fixed segment such as `batch`. */
  #resolve(template: Suboperation): Suboperation {
    const { limits } = this.#context.environment;
    const body = { nodes: limits.jsonValues, characters: limits.jsonBodyBytes, depth: limits.jsonDepth };
    const named = this.#dispatcher.find(template.method, template.path);
    const compositeAt = named?.operation?.hasCompositeId ? named.endpoint.route.split("/").lastIndexOf("{id}") : undefined;
    const operation = resolveReferences(template, this.#results, { targetBytes: limits.targetBytes, body, compositeAt });
    const { method, path } = operation;
    if (this.#dispatcher.find(method, path)?.endpoint !== named?.endpoint) throw standsAlone(method, path);
    return operation;
  }

  #failed(problem: ProblemError): ItemResult {
    return failedItem(problem, batchSettings(this.#context).problems);
  }
}

const writesRow: ReadonlySet<string> = new Set(["PUT", "PATCH", "DELETE"]);

/** The id at the end of a path, in the form that rows have; `undefined` if a reference supplies it, or the path names no row. */
function idIn(path: string, { id, idNames }: Pick<Resource, "id" | "idNames">): Id | undefined {
  const segment = path.slice(path.lastIndexOf("/") + 1);
  // A reference is resolved later, and invalid percent-encoding is rejected then.
  if (segment.includes("{") || !isDecodable(segment)) return undefined;
  const text = idNames.length > 1 ? segment : decodeSegment(segment);
  const kind = columnKind(id);
  if (kind === "text") return String(inputOf(id, text));
  const value = toInt64(text);
  return kind === "int" && value !== undefined ? Number(value) : value;
}

function isDecodable(segment: string): boolean {
  try {
    decodeSegment(segment);
    return true;
  } catch {
    return false;
  }
}
