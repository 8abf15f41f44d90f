import { credentialHeaders } from "./credentials.js";

/** What the reader has filled in. */
export interface Filled {
  readonly method: string;
  /** With its variables: `/users/{id}`. */
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly place: string; readonly value: string }[];
  /** Further parameters, as they are sent. */
  readonly query: string;
  /** `undefined` for a form: the browser names its type, with the boundary. */
  readonly mediaType: string | undefined;
  readonly body: string | File | FormData | URLSearchParams | undefined;
}

/** The request that is sent: to the service that this page comes from. */
export function requestOf({ method, path, parameters, query, mediaType, body }: Filled, signal: AbortSignal): Request {
  const at = (place: string) => parameters.filter((parameter) => parameter.place === place && parameter.value !== "");
  // Commas separate the parts of an id.
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encode(at("path").find((parameter) => parameter.name === name)?.value ?? ""));
  const pairs = [
    ...at("query").map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
    ...(query === "" ? [] : [query]),
  ];
  const url = new URL(`${document.documentElement.dataset["root"] ?? "./"}${filled.slice(1)}`, location.href);
  url.search = pairs.join("&");
  url.hash = "";
  const headers = new Headers([...credentialHeaders()]);
  for (const { name, value } of at("header")) headers.set(name, value);
  if (mediaType !== undefined && body !== undefined) headers.set("content-type", mediaType);
  return new Request(url, { method, headers, signal, redirect: "manual", ...(body !== undefined && { body }) });
}

/** Browsers drop a segment that is `.` or `..`, percent-encoded too, so that the request would go elsewhere. */
function encode(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new Error(`"${value}" cannot be a segment of a path.`);
  return encodeURIComponent(value).replaceAll("%2C", ",");
}

/** An answer as it is shown. */
export interface Shown {
  readonly status: string;
  readonly headers: string;
  readonly body: string;
}

const maxCharacters = 200_000;

/** Sends a request, and reads its answer as text. Rejects if there is none. */
export async function send(request: Request): Promise<Shown> {
  const start = performance.now();
  const response = await fetch(request);
  const text = await bodyText(response);
  const ms = Math.round(performance.now() - start);
  // Redirects are not followed: they may lead to another origin.
  const status = response.type === "opaqueredirect" ? "A redirect" : `${response.status} ${response.statusText}`.trim();
  return { status: `${status}, ${ms} ms`, headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n"), body: text };
}

async function bodyText(response: Response): Promise<string> {
  const type = response.headers.get("content-type") ?? "";
  if (!/^text\/|json|xml|csv|^$/.test(type)) return `${(await response.blob()).size} bytes of ${type}`;
  const text = await response.text();
  return shortened(/[/+]json/.test(type) ? indented(text) : text);
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

const shortened = (text: string) =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters)}\n… ${text.length - maxCharacters} more characters` : text;
