/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A parameter of the query or a request header, as the OpenAPI document shows it. */
export interface DescribedParameter {
  readonly name: string;
  readonly text?: string | undefined;
  readonly schema: JsonSchema;
  readonly required?: boolean | undefined;
  /** How an array or an object is written in a query, if not as one text. */
  readonly style?: "form" | "deepObject" | undefined;
  readonly explode?: boolean | undefined;
  readonly example?: unknown;
}

/** A form of a request body or of an answer. Without a schema it is bytes. */
export interface DescribedBody {
  readonly mediaType: string;
  readonly schema?: JsonSchema | undefined;
  /** The schema of each item of a stream, such as the lines of NDJSON. */
  readonly item?: JsonSchema | undefined;
  /** A body that is accepted. */
  readonly example?: unknown;
  /** How the parts of a form are encoded, by their names. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>> | undefined;
}

/** An answer that is not a problem. */
export interface DescribedAnswer {
  /** `2XX`: any status of a success. */
  readonly status: number | "2XX";
  readonly text: string;
  /** Names of headers that it may have, beside those of every answer. */
  readonly headers?: readonly string[] | undefined;
  readonly bodies?: readonly DescribedBody[] | undefined;
  /** Operations that go on from here: by relation, the name of the operation and the values of its parameters as runtime expressions. */
  readonly links?: Readonly<Record<string, { readonly operation: string; readonly parameters: Readonly<Record<string, string>> }>> | undefined;
}

/**
 * What the OpenAPI document says of an operation. What the operation says itself is not repeated here: method, path, media types of its body, and the problems of the steps
 * before it runs.
 *
 * @example
 * { summary: "The time of the service", answers: [{ status: 200, text: "The time.", bodies: [{ mediaType: "application/json", schema: { type: "object" } }] }] }
 */
export interface OperationDescription {
  /** One line without a full stop. */
  readonly summary: string;
  /** CommonMark. */
  readonly text?: string | undefined;
  /** The group that it is shown in. Defaults to the first segment of its path. */
  readonly tag?: string | undefined;
  readonly query?: readonly DescribedParameter[] | undefined;
  /** Request headers that have an effect. */
  readonly headers?: readonly DescribedParameter[] | undefined;
  readonly bodies?: readonly DescribedBody[] | undefined;
  /** Whether a request without a body is refused, where the rule of the operation's body does not say it. */
  readonly isBodyRequired?: boolean | undefined;
  readonly answers: readonly DescribedAnswer[];
  /** Codes of problems that it may answer, beside those of the steps before it. */
  readonly codes?: readonly string[] | undefined;
  /** Names of headers that its problems may have. */
  readonly problemHeaders?: readonly string[] | undefined;
  /** Codes of problems of your own, each with its status or a text. */
  readonly ownProblems?: Readonly<Record<string, number | string | undefined>> | undefined;
  readonly deprecated?: boolean | undefined;
}

/** What a capability adds to every answer and request, for the OpenAPI document. */
export interface AddedDescription {
  readonly codes?: readonly string[] | undefined;
  /** Names of headers of its answers. */
  readonly answerHeaders?: readonly string[] | undefined;
  /** A media type that bodies of JSON may have too, in a version of the API; in that of the schemas if `undefined`. */
  readonly jsonType?: ((version: string | undefined) => string | undefined) | undefined;
  readonly headers?: readonly DescribedParameter[] | undefined;
}
