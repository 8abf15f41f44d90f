import type { HttpRequest } from "../http/message.js";
import type { Preferences } from "../http/prefer.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import { environmentWithin } from "../operation/environmentWithin.js";
import { inTurns } from "../operation/inTurns.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import type { Storage } from "../storage/storage.js";
import { acceptsMultipart } from "./acceptsMultipart.js";
import { batchSettings } from "./batchSettings.js";
import { batchBody } from "./collectionBatches.js";
import type { Dispatcher } from "./dispatcher.js";
import { failedItem } from "./failedItem.js";
import type { SubResult } from "./followReference.js";
import { innerResult } from "./innerResult.js";
import { itemOperationId } from "./itemContext.js";
import { type KeptResult, wholeResult } from "./keptResult.js";
import { chooseMode } from "./mode.js";
import { multipartAnswer } from "./multipartAnswer.js";
import { batchOperation } from "./operation.js";
import { type BatchPlan, planOf } from "./plan.js";
import { isMultipart, readMultipartBody, readOperations } from "./readOperations.js";
import { resolveReferences } from "./resolveReferences.js";
import type { IndexedResult, ItemResult } from "./result.js";
import type { SliceWork } from "./slices.js";
import type { Suboperation } from "./suboperation.js";
import { type JudgedOperation, judgeOperations, standsAlone } from "./suboperations.js";

/** Collections by name, with the field that names their rows. */
export type IdNames = ReadonlyMap<string, string>;

/** POST to `/batch`: operations of all kinds, one after the other, each through the whole service. */
export function heterogeneousOperation(dispatcher: Dispatcher, idNames: IdNames, limits: Limits): Operation {
  const json = batchBody(limits);
  return batchOperation({
    name: "batch.create",
    method: "POST",
    safety: "unsafe",
    // Each operation is asked about by itself.
    access: { action: "update", collection: undefined },
    body: {
      ...json,
      accepts: (mediaType) => json.accepts(mediaType) || mediaType === "multipart/mixed" || mediaType === "multipart/form-data",
      supported: [...json.supported, "multipart/mixed", "multipart/form-data"],
      read: (bytes, contentType) => readMultipartBody(bytes, contentType, limits),
    },
    plan: async (context, prefer) => plan(context, prefer, dispatcher, idNames),
  });
}

async function plan(context: Context, prefer: Preferences, dispatcher: Dispatcher, idNames: IdNames): Promise<BatchPlan> {
  const { environment, request, headers } = context;
  const chosen = chooseMode(environment.batch, prefer);
  const judged = judgeOperations(readOperations(context), dispatcher, {
    mode: chosen.mode,
    takesKeys: environment.idempotency?.sharesTransactions === true,
    mount: request.mount,
    targetBytes: environment.limits.targetBytes,
  });
  const labels = judged.map(({ label }) => label);
  const minimal = prefer.return === "minimal";
  const applied = minimal ? [...chosen.applied, "return=minimal"] : chosen.applied;
  const work = new Operations(context, dispatcher, idNames, chosen.mode === "atomic");
  const isRead = ({ index }: IndexedResult) => judged[index]?.operation?.method === "GET" || judged[index]?.operation?.method === "QUERY";
  const show = (result: IndexedResult) => labelled(minimal && !isRead(result) ? { ...result, data: undefined } : result, labels);
  const own = planOf({ ...chosen, applied }, judged, work, {
    // Later operations may refer to what is not shown.
    keep: (result): KeptResult => ({ ...show(result), ...(minimal && !isRead(result) ? { hiddenData: result.data } : {}) }),
    show,
    ...(isMultipart(context) && acceptsMultipart(headers.get("accept")) === "multipart" ? { respond: multipartAnswer } : {}),
  });
  return {
    ...own,
    async portion(cursor) {
      if (typeof cursor === "number") await work.recall(cursor);
      return own.portion(cursor);
    },
  };
}

/** Every result says which operation it is of, also where that one was not begun. */
function labelled({ index, name: _, ...result }: IndexedResult, labels: readonly (string | undefined)[]): IndexedResult {
  const name = labels[index];
  return name === undefined ? { index, ...result } : { index, name, ...result };
}

/** Runs operations, and remembers what they came to for those that refer to them. */
class Operations implements SliceWork<JudgedOperation, Suboperation> {
  readonly sliceItems = 1;
  readonly commitsItself = true;
  readonly #context: Context;
  readonly #dispatcher: Dispatcher;
  readonly #idNames: IdNames;
  readonly #isAtomic: boolean;
  readonly #results = new Map<string, SubResult>();

  constructor(context: Context, dispatcher: Dispatcher, idNames: IdNames, isAtomic: boolean) {
    this.#context = context;
    this.#dispatcher = dispatcher;
    this.#idNames = idNames;
    this.#isAtomic = isAtomic;
  }

  /** Brings back the results of operations before this place, which an earlier part of the same job ran. */
  async recall(end: number): Promise<void> {
    const { job, environment } = this.#context;
    if (job === undefined || end === 0) return;
    const entries = (await environment.jobs?.store.entries(job.job.id, -1, end)) ?? [];
    for (const { value } of entries) {
      const result = wholeResult(value as KeptResult);
      // Of two of one name the later was refused.
      if (result.name !== undefined && !this.#results.has(result.name)) this.#results.set(result.name, result);
    }
  }

  judge = (items: readonly JudgedOperation[]) =>
    inTurns(items, async ({ operation, fault }) => {
      if (operation !== undefined && fault === undefined) return { ready: operation };
      return { result: this.#failed(fault ?? new ProblemError("INVALID_BATCH", "This is no operation.")) };
    });

  write = (items: readonly { readonly ready: Suboperation }[], tx: Storage | undefined) =>
    inTurns(items, async ({ ready }) => {
      const result = await this.#run(ready, tx);
      if (ready.name !== undefined) this.#results.set(ready.name, result);
      return result;
    });

  async #run(template: Suboperation, tx: Storage | undefined): Promise<ItemResult> {
    const { environment, operationId, principal, requestId } = this.#context;
    // Then a batch that is begun again has left nothing behind. Elsewhere it may have, and inserts are told apart by their operation.
    const commitsWithRecord = this.#isAtomic && environment.idempotency?.sharesTransactions === true;
    let operation: Suboperation;
    try {
      operation = this.#resolve(template);
    } catch (error) {
      if (error instanceof ProblemError && error.status < 500) return this.#failed(error);
      throw error;
    }
    const response = await this.#dispatcher.dispatch(
      {
        request: innerRequest(this.#context, operation),
        requestId,
        principal,
        environment: tx === undefined ? environment : environmentWithin(environment, tx),
        operationId: operationId === undefined || commitsWithRecord ? undefined : itemOperationId(operationId, operation.index),
      },
      this.#isAtomic,
    );
    const found = this.#dispatcher.find(operation.method, operation.path)?.operation;
    return innerResult(response, this.#idNames.get(found?.access?.collection ?? ""));
  }

  /** What values make of the path must mean what the path with its references meant: a value may spell a fixed word. */
  #resolve(template: Suboperation): Suboperation {
    const { limits } = this.#context.environment;
    const body = { nodes: limits.jsonValues, characters: limits.jsonBodyBytes, depth: limits.jsonDepth };
    const operation = resolveReferences(template, this.#results, { targetBytes: limits.targetBytes, body });
    const { method, path } = operation;
    if (this.#dispatcher.find(method, path)?.endpoint !== this.#dispatcher.find(method, template.path)?.endpoint) throw standsAlone(method, path);
    return operation;
  }

  #failed(problem: ProblemError): ItemResult {
    return failedItem(problem, batchSettings(this.#context).problems);
  }
}

function innerRequest({ request }: Context, { method, path, query, headers, body }: Suboperation): HttpRequest {
  const named = headers.includes("content-type");
  const contentType = named || body === undefined ? [] : ["content-type", method === "PATCH" ? "application/merge-patch+json" : "application/json"];
  return {
    method,
    path,
    query,
    mount: request.mount,
    headers: [...headers, ...contentType],
    body: body === undefined ? { kind: "none" } : { kind: "parsed", value: body },
    signal: request.signal,
    address: request.address,
    native: request.native,
  };
}
