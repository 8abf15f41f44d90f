import { type Caller, callContext, runCall } from "../../engine/calls/caller.js";
import { ifMatchRule } from "../../engine/calls/callOptions.js";
import type { CallId, WriteOptions } from "../../engine/calls/collectionCalls.js";
import type { FurtherCalls } from "../../engine/calls/furtherCalls.js";
import { idText } from "../../engine/calls/reads.js";
import { etagOf } from "../../engine/calls/rowTags.js";
import { onlyId } from "../../engine/calls/writes.js";
import type { Context } from "../../engine/operation/context.js";
import type { Environment } from "../../engine/operation/environment.js";
import { stableIdOf } from "../../engine/operation/ids/stableId.js";
import { parseId } from "../../engine/resource/read/identify.js";
import { singleView } from "../../engine/resource/read/respond.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import type { Resource } from "../../engine/resource/resource.js";
import { optionsCheck, passing, strict } from "../../ground/options/index.js";
import type { CompiledAction } from "./action.js";
import { askActionRules } from "./actionRules.js";
import { actOnCollection } from "./collectionAction.js";
import { purgeCall } from "./purge.js";
import { actOnRow, type RowOutcome } from "./rowAction.js";

/** Options of a call of an action. */
export interface ActionCallOptions extends WriteOptions {
  /** The same in every attempt of one operation: `run` receives it. */
  readonly operationId?: string | undefined;
}

const operationId = () => passing("a text that is not empty", (value) => typeof value === "string" && value !== "");

const checkRowCall = /* @__PURE__ */ optionsCheck("action", () => strict<ActionCallOptions>({ ifMatch: ifMatchRule(), operationId: operationId() }));
const checkCollectionCall = /* @__PURE__ */ optionsCheck("action", () =>
  strict<Pick<ActionCallOptions, "operationId">>({ operationId: operationId() }),
);

/** The calls of actions from code: `shop.orders.cancel(7, input)`. */
export function actionCalls(
  all: ReadonlyMap<string, ReadonlyMap<string, CompiledAction>>,
  resources: ReadonlyMap<string, LinkedResource>,
  service: Environment,
): FurtherCalls {
  return {
    membersOf(caller, collection) {
      const actions = all.get(collection) ?? new Map<string, CompiledAction>();
      const resource = resources.get(collection)?.resource;
      const purges = caller.isSystem && resource?.model.table?.options.softDelete ? { purge: purgeCall(caller, resource) } : {};
      const own = [...actions].map(
        ([name, action]) => [name, action.on === "row" ? rowCall(caller, action, service) : collectionCall(caller, action, service)] as const,
      );
      return { ...purges, ...Object.fromEntries(own) };
    },
    async askRules(asker) {
      const actions = [...all.values()].flatMap((each) => [...each.values()]);
      await Promise.allSettled(actions.map((action) => askActionRules(asker, action)));
    },
  };
}

function rowCall(caller: Caller, action: CompiledAction, service: Environment) {
  return async (id: CallId, input?: unknown, options: ActionCallOptions = {}): Promise<unknown> => {
    checkRowCall(options, `${action.resource.name}.${action.name}`);
    return runCall(caller, async () => {
      // The collections are made when the first call needs them.
      const { resource } = caller.resources.get(action.resource.name) as LinkedResource;
      const { ifMatch } = options;
      const context = await contextOf(caller, action, {
        ifMatch: typeof ifMatch === "object" ? etagOf(ifMatch) : ifMatch,
        operationId: options.operationId,
      });
      const target = {
        ...{ action, resource, service, context },
        id: await parseId(resource, idText(resource, id)),
        operationId: stableIdOf(context),
        readInput: () => action.input.read(input),
      };
      return actOnRow(target, async (outcome) => resultOf(resource, context, outcome));
    });
  };
}

function collectionCall(caller: Caller, action: CompiledAction, service: Environment) {
  return async (input?: unknown, options: Pick<ActionCallOptions, "operationId"> = {}): Promise<unknown> => {
    checkCollectionCall(options, `${action.resource.name}.${action.name}`);
    return runCall(caller, async () => {
      const context = await contextOf(caller, action, options);
      const target = { action, service, context, operationId: stableIdOf(context) };
      return actOnCollection(target, await action.input.read(input), async ({ value }) => value);
    });
  };
}

function contextOf(
  caller: Caller,
  { name, method, resource }: CompiledAction,
  more: { ifMatch?: string | undefined; operationId?: string | undefined },
): Promise<Context> {
  return callContext(caller, { method, action: name, collection: resource.name, ...more });
}

/** The row, or what the action responds. */
function resultOf(resource: Resource, context: Context, { responded, row, isHidden }: RowOutcome): unknown {
  if (responded !== undefined) return responded.value;
  if (row === undefined) return undefined;
  return isHidden ? onlyId(resource, row) : singleView(resource, context, context.permit).select(row);
}
