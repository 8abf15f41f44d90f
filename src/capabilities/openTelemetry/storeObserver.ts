import type { Attributes } from "@opentelemetry/api";
import { canObserve, context, SpanKind, trace } from "./api.js";
import { Recording, recorded } from "./recording.js";
import type { Telemetry } from "./telemetry.js";

/** Runs a call of a store within a span. */
export type ObserveCall = <R>(operation: string, run: () => Promise<R>) => Promise<R>;

/** The span of a call that is about to begin; `undefined` outside of a recorded span. */
export type BeginCall = (operation: string) => Recording | undefined;

/** Names of database systems in the conventions, by the names of storages. */
const systems: Readonly<Record<string, string>> = { postgres: "postgresql" };
/** Storages within the process: their calls are not calls to another system. */
const inProcess: ReadonlySet<string> = new Set(["memory", "sqlite"]);

/**
 * Begins spans of calls of one collection or store. Calls outside of a recorded span have none: workers poll their stores all the time.
 *
 * @param system the name of the storage
 * @param target the collection or store; `undefined` for the storage itself
 * @see https://opentelemetry.io/docs/specs/semconv/database/database-spans/
 */
export function beginCalls(telemetry: Telemetry, system: string, target: string | undefined): BeginCall {
  const kind = inProcess.has(system) ? "INTERNAL" : "CLIENT";
  const fixed: Attributes = { "db.system.name": systems[system] ?? system, ...(target !== undefined && { "db.collection.name": target }) };
  return (operation) => {
    if (!canObserve()) return undefined;
    const parent = context.active();
    if (trace.getSpan(parent)?.isRecording() !== true) return undefined;
    const name = target === undefined ? operation : `${operation} ${target}`;
    return new Recording(telemetry, { name, kind: SpanKind[kind], parent, attributes: { ...fixed, "db.operation.name": operation } });
  };
}

/** Runs calls within the spans that `begin` begins. */
export function observeCalls(begin: BeginCall): ObserveCall {
  return (operation, run) => {
    const recording = begin(operation);
    return recording === undefined ? run() : recorded(recording, run);
  };
}
