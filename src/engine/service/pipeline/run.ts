import type { HttpResponse } from "../../../ground/http/message.js";
import { onDemand } from "../../../ground/onDemand/onDemand.js";
import { isRefusal } from "../../../ground/problem/index.js";
import type { SignedBody } from "../../../parts/auth/verifier.js";
import type { Context } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import type { Admitted } from "./admit.js";
import type { Entered } from "./enter.js";
import type { runIdempotent } from "./idempotent.js";
import type { Caller } from "./identify.js";
import { keyIdOf } from "./key.js";

/** Clients that send no keys need none of it. */
const loadIdempotent = /* @__PURE__ */ onDemand(() => import("./idempotent.js"));

/** Runs the operation: in a job, under a key, with a body that arrives, or at once. */
export function run(entered: Entered, caller: Caller, admitted: Admitted, body: unknown): Promise<HttpResponse> {
  const { pipeline, operation, signed, inherited } = entered;
  const { key } = admitted;
  const context = contextOf(entered, caller, admitted, body);
  if (inherited?.job !== undefined) return operation.run({ ...context, ...inherited, scopes: context.scopes, insertsUnderOperationId: true });
  const runKeyed = (whole: Context) => (key === undefined ? operation.run(whole) : runUnderKey(pipeline, operation, whole, key));
  const receive = operation.body?.receive;
  if (receive === undefined) return runKeyed(context);
  return receiving(receive, signed, { ...context, keyId: key && keyIdOf(caller.principal, key) }, runKeyed);
}

async function runUnderKey(...request: Parameters<typeof runIdempotent>): Promise<HttpResponse> {
  return (await loadIdempotent()).runIdempotent(...request);
}

function contextOf(
  { environment, headers, authRequest, inherited, arrival }: Entered,
  { principal, request }: Caller,
  { permit, query, params, format, isKeyed }: Admitted,
  body: unknown,
): Context {
  return {
    environment,
    request,
    headers,
    requestId: arrival.requestId,
    params,
    principal,
    way: inherited?.way,
    itemId: inherited?.itemId,
    scopes: inherited?.scopes ?? environment.scopesOf(principal),
    shown: inherited?.shown,
    permit,
    query,
    format,
    body,
    authRequest,
    isKeyed,
    joins: noJoins,
    count: arrival.count,
  };
}

const noJoins: Context["joins"] = [];

/** Runs an operation that receives its body as a stream, and releases a body that was not kept. */
async function receiving(
  receive: NonNullable<NonNullable<Operation["body"]>["receive"]>,
  signed: SignedBody | undefined,
  context: Context,
  runKeyed: (context: Context) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const received = await receive(context);
  let isKnown = true;
  try {
    signed?.requireCompared();
    return await runKeyed({ ...context, received });
  } catch (error) {
    // After a fault it is unknown whether a write was committed, so the body is not released here; a later sweep decides.
    isKnown = isRefusal(error);
    throw error;
  } finally {
    if (isKnown) await received.release();
  }
}
