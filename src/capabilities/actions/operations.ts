import type { Context } from "../../engine/operation/context.js";
import type { Environment } from "../../engine/operation/environment.js";
import { stableIdOf } from "../../engine/operation/ids/stableId.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Responded } from "../../engine/resource/actions.js";
import { parseId } from "../../engine/resource/read/identify.js";
import { singleView } from "../../engine/resource/read/respond.js";
import type { Resource } from "../../engine/resource/resource.js";
import { changed } from "../../engine/resource/write/change.js";
import { jsonBody } from "../../engine/resource/write/jsonBody.js";
import type { HttpResponse } from "../../ground/http/message.js";
import type { CompiledAction } from "./action.js";
import { askActionRules } from "./actionRules.js";
import { actOnCollection } from "./collectionAction.js";
import { jsonOf } from "./output.js";
import { actOnRow, type RowOutcome } from "./rowAction.js";

/** The operation of an action. @param resource as the version of the API shows it */
export function actionOperation(action: CompiledAction, resource: Resource, service: Environment): Operation {
  const { name, method, on } = action;
  const { limits } = service;
  const common: Operation = {
    name: `${resource.name}.${name}`,
    method,
    hasCompositeId: on === "row" && resource.idNames.length > 1,
    access: { action: name, collection: resource.name },
    action: { ...(action.options ?? { on }), members: action.input.members, accepts: action.input.accepts },
    askRules: (asker) => askActionRules(asker, action),
    run: (context) => (on === "row" ? runOnRow(action, resource, service, context) : runOnCollection(action, service, context)),
  };
  if (method === "GET") return { ...common, readQuery: (context) => action.input.readQuery(context) };
  return {
    ...common,
    requiresKey: resource.requireIdempotencyKey,
    forgetsRefusals: true,
    body: { ...jsonBody(limits), optional: true },
  };
}

async function runOnRow(action: CompiledAction, resource: Resource, service: Environment, context: Context): Promise<HttpResponse> {
  const id = await parseId(resource, context.params[0] ?? "");
  const readInput = async () => (action.method === "GET" ? context.query : action.input.read(context.body));
  const target = { action, resource, service, context, id, operationId: stableIdOf(context), readInput };
  return actOnRow(target, (outcome) => answerRow(action, resource, context, outcome));
}

async function runOnCollection(action: CompiledAction, service: Environment, context: Context): Promise<HttpResponse> {
  const input = action.method === "GET" ? context.query : await action.input.read(context.body);
  const target = { action, service, context, operationId: stableIdOf(context) };
  return actOnCollection(target, input, (responded) => answerValue(action, responded));
}

/** The row as by a PATCH, or what the action responds. */
async function answerRow(action: CompiledAction, resource: Resource, context: Context, outcome: RowOutcome): Promise<HttpResponse> {
  const { responded, row, isHidden } = outcome;
  if (responded !== undefined) return answerValue(action, responded);
  if (row === undefined) return { status: 204, headers: {}, body: null };
  return changed(context)(row, singleView(resource, context, context.permit), isHidden);
}

async function answerValue({ place }: CompiledAction, { value, status, headers }: Responded): Promise<HttpResponse> {
  if (value === undefined) return { status, headers: { ...headers }, body: null };
  return { status, headers: { "content-type": "application/json", ...headers }, body: await jsonOf(place, value) };
}
