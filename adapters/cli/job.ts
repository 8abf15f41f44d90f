import { CommandError } from "./commandError.js";

/** A job as the server shows it. */
export interface Job {
  readonly id: string;
  readonly status: "queued" | "processing" | "completed" | "failed";
  /** 0 to 1. */
  readonly progress: number;
  readonly processedRows: number;
  readonly totalRows: number | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly code: string; readonly detail?: string | undefined; readonly row?: number | undefined } | null;
  /** Relative to the origin. */
  readonly links: Readonly<Record<string, string>>;
}

const states: ReadonlySet<unknown> = new Set(["queued", "processing", "completed", "failed"]);

/** Reads the body of a job. @throws {CommandError} where the address shows none */
export function parseJob(text: string, url: URL): Job {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isJob(value)) throw new CommandError(`There is no job at ${url.href}: its answer has no "status" and no "links".`);
  return value;
}

function isJob(value: unknown): value is Job {
  if (typeof value !== "object" || value === null || !("status" in value) || !states.has(value.status)) return false;
  return "links" in value && typeof value.links === "object" && value.links !== null && "id" in value && typeof value.id === "string";
}

/** Whether nothing will happen to it any more. */
export function isEnded({ status }: Job): boolean {
  return status === "completed" || status === "failed";
}

/**
 * Where a link of a job leads; `undefined` where there is none of that name.
 *
 * @param url that the job was had from. Between it and the path that the service knows there may be a proxy that takes a prefix away
 */
export function linkOf({ links }: Job, name: string, url: URL): URL | undefined {
  const { self, [name]: target } = links;
  if (typeof target !== "string") return undefined;
  return new URL(typeof self === "string" && target.startsWith(`${self}/`) ? url.pathname + target.slice(self.length) : target, url);
}

/**
 * Where a job is that was just made: as `Location` says, unless that is another host, which gets no credentials.
 *
 * @param url that the request for it went to
 * @throws {CommandError}
 */
export function addressOfJob({ links }: Job, location: string | null | undefined, url: URL): URL {
  const told = typeof location === "string" && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (told?.origin === url.origin) return told;
  if (typeof links["self"] === "string") return new URL(links["self"], url);
  throw new CommandError(`${url.href} has made a job, but does not say where it is.`);
}
