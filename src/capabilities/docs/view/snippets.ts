import { sampleOf } from "../../../engine/operation/sample.js";
import { type Content, type Html, html } from "../html/html.js";
import { type FormField, type FormShape, formShapes } from "../reading/formFields.js";
import type { ShownOperation } from "../reading/operations.js";
import { type SigningScheme, signingOf } from "../reading/schemes.js";
import { resolverOf, type SpecScheme } from "../reading/spec.js";
import { exampleOf } from "./bodies.js";
import { clientCall } from "./clientCall.js";
import type { View } from "./view.js";

/** What a request needs, as the snippets show it. */
export interface SampleRequest {
  /** With values for the variables. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** What the first scheme that the operation accepts signs requests with. */
  readonly signing: SigningScheme | undefined;
  /** JSON. */
  readonly body: string | undefined;
  /** The fields of a multipart form. */
  readonly form: readonly FormField[] | undefined;
  /** The body is of another kind. */
  readonly sendsFile: boolean;
}

const multipart = "multipart/form-data";
const placeholder = "https://api.example.com";

/** The request of an operation as `curl`, as `fetch` and as a call of the client. */
export function snippets(view: View, operation: ShownOperation): Html {
  const request = sampleRequest(view, operation);
  const call = clientCall(view, operation);
  const shown = [
    ["curl", curl(view, operation, request)],
    ["fetch", fetchCall(view, operation, request)],
    ...(call === undefined ? [] : [["client", call] as const]),
  ] as const;
  // One of them is open at a time, without a script too.
  return html`<div class="snippets"><h4>Request</h4>${shown.map(
    (
      [name, code],
      index,
    ) => html`<details name="request ${operation.id}"${index === 0 && html` open`}><summary>${name}</summary><pre><code>${code}</code></pre></details>
`,
  )}</div>`;
}

function sampleRequest(view: View, { path, parameters, body, security = [] }: ShownOperation): SampleRequest {
  const { spec } = view.book;
  const filled = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    return encodeURIComponent(
      String(parameter?.example ?? sampleOf(resolverOf(spec), parameter?.schema ?? { type: "string" }, "request")),
    ).replaceAll("%2C", ",");
  });
  const [type, media] = Object.entries(body?.content ?? {})[0] ?? [];
  const required = parameters.filter((parameter) => parameter.in === "header" && parameter.required === true);
  const json = type === undefined || media === undefined ? undefined : exampleOf(view, type, media, "request");
  const form = type === multipart && body?.content !== undefined ? sampleForm(formShapes(spec, { [type]: body.content[type] ?? {} })) : undefined;
  const scheme = firstScheme(view, security);
  const signing = signingOf(scheme);
  return {
    path: filled,
    signing,
    headers: [
      ...(signing === undefined ? credentials(scheme) : []),
      // What makes the form adds its boundary.
      ...(type === undefined || form !== undefined ? [] : [["Content-Type", type] as const]),
      ...required.map(({ name, schema }) => [name, String(sampleOf(resolverOf(spec), schema, "request"))] as const),
    ],
    body: json,
    form,
    sendsFile: type !== undefined && json === undefined && form === undefined,
  };
}

/** The fields that a form needs, or one of those that it takes. */
function sampleForm([shape]: readonly FormShape[]): readonly FormField[] {
  const required = shape?.fields.filter((each) => each.required) ?? [];
  return required.length > 0 ? required : [shape?.fields[0] ?? { name: "file", kind: "file" }];
}

const isFile = ({ kind }: FormField) => kind === "file" || kind === "files";
const sampleValue = ({ values: [first = "text"] = [] }: FormField) => first;

/** The first scheme that an operation accepts. */
function firstScheme({ book: { spec } }: View, security: NonNullable<ShownOperation["security"]>): SpecScheme {
  const [first] = security.flatMap((alternative) => Object.keys(alternative));
  return (first === undefined ? undefined : spec.components?.securitySchemes?.[first]) ?? {};
}

/** The header that credentials are sent in. */
function credentials({ type, scheme = "", in: place, name }: SpecScheme): SampleRequest["headers"] {
  if (type === "http") return [["Authorization", `${scheme === "basic" ? "Basic" : scheme === "bearer" ? "Bearer" : scheme} CREDENTIALS`]];
  return type === "apiKey" && place === "header" && name !== undefined ? [[name, "CREDENTIALS"]] : [];
}

/** The script replaces it by the address of the page. */
function base({ book: { spec } }: View): Content {
  const server = spec.servers?.find(({ url }) => /^https?:/.test(url))?.url.replace(/\/$/, "");
  return server ?? html`<span data-base>${placeholder}</span>`;
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curl(view: View, { method }: ShownOperation, { path, signing, headers, body, form, sendsFile }: SampleRequest): Content {
  const lines = [
    ...(signing === undefined ? [] : [signing.curl]),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(form ?? []).map((each) => `-F ${quoted(`${each.name}=${isFile(each) ? "@file" : sampleValue(each)}`)}`),
    ...(body === undefined ? (sendsFile ? ["--data-binary @file"] : []) : [`-d ${quoted(body)}`]),
  ];
  return ["curl ", method !== "GET" && `-X ${method} `, "'", base(view), path.replaceAll("'", "%27"), "'", lines.map((line) => ` \\\n  ${line}`)];
}

function fetchCall(view: View, { method }: ShownOperation, { path, signing, headers, body, form, sendsFile }: SampleRequest): Content {
  const options = [
    ...(method === "GET" ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: ${JSON.stringify(Object.fromEntries(headers), undefined, 2).replaceAll("\n", "\n  ")},`]),
    ...(form === undefined ? [] : ["  body: form,"]),
    ...(body === undefined ? (sendsFile ? ["  body: file,"] : []) : [`  body: JSON.stringify(${body.replaceAll("\n", "\n  ")}),`]),
  ];
  const address = [`"`, base(view), JSON.stringify(path).slice(1)];
  const made = form?.map((each) => `form.append(${JSON.stringify(each.name)}, ${isFile(each) ? "file" : JSON.stringify(sampleValue(each))});\n`);
  const note = signing !== undefined && `// fetch does not sign requests, which ${signing.title} needs.\n`;
  return [
    note,
    made && ["const form = new FormData();\n", made],
    "const response = await fetch(",
    address,
    options.length > 0 && `, {\n${options.join("\n")}\n}`,
    ");",
  ];
}
