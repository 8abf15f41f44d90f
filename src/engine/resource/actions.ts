import type { z } from "zod";
import type { Output } from "../../language/schema/output.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { MaybePromise, ServerChanges } from "./callTypes/inputTypes.js";
import type { RuleTransaction } from "./callTypes/ruleTransaction.js";
import type { ConcurrencyOptions } from "./hooks.js";

/** An answer that an action makes itself, in place of the row. Made by `respond` of `restwright/actions`. */
export interface Responded<T = unknown> {
  readonly value: T;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether an action is about one row or about the collection. */
export type ActionTarget = "row" | "collection";

/** The HTTP method of an action. */
export type ActionVerb = "GET" | "POST";

/** A zod schema, as far as the types of actions need it: the compiler would compare all methods of `z.ZodType` for each action. */
export interface ActionSchema<T = unknown> {
  readonly _zod: { readonly input: T; readonly output: T };
}

/** What an action knows when it runs. */
export interface ActionCall<Input, Events extends string> {
  /** The validated input; `undefined` if the action has none. */
  readonly input: Input;
  /** `undefined` for the system. */
  readonly principal: Principal | undefined;
  /** The transaction that everything commits with. It only reads if the method is GET. */
  readonly tx: RuleTransaction;
  /** Emits an event that the action declares, of the row as it stands after the action. */
  emit(type: Events, data?: Readonly<Record<string, unknown>>): Promise<void>;
  /** The same in every attempt: pass it to the receiver of an effect, so that the effect happens once. */
  readonly operationId: string;
  /** 1, and one more each time that the transaction has begun again after a conflict with another one. */
  readonly attempt: number;
  /** Aborts when the time of the action is over. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

/** What an action on a row knows when it runs. */
export interface RowActionCall<Row, Input, Events extends string> extends ActionCall<Input, Events> {
  /** The row, which no other write changes meanwhile. */
  readonly row: Readonly<Row>;
}

/** What an action may return: changes of its row (nothing: the row as it is), or an answer. On a collection, any value is an answer. */
export type ActionResult<On extends ActionTarget, Changes, Answer> =
  | Responded<Answer>
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: an action may return nothing.
  | void
  | ValueByTarget<Changes, Answer>[On];

interface ValueByTarget<Changes, Answer> {
  readonly row: Changes;
  readonly collection: Answer;
}

/** What an action knows, by what it is about. */
interface CallByTarget<S extends z.ZodObject, Input, Events extends string> {
  readonly row: RowActionCall<Output<S>, Input, Events>;
  readonly collection: ActionCall<Input, Events>;
}

/** Options of an action. */
export interface ActionOptions<
  S extends z.ZodObject,
  On extends ActionTarget,
  Input extends ActionSchema,
  Answer extends ActionSchema,
  Events extends string,
  Result,
  Method extends ActionVerb = ActionVerb,
  Problems extends string = string,
> extends ConcurrencyOptions {
  /** `row`: `POST /orders/{id}/cancel`; `collection`: `/orders/statistics`. */
  readonly on: On;
  /** `GET` only reads, and takes its input from the query (default `POST`). */
  readonly method?: Method | undefined;
  /** The schema of the input (default: no input). */
  readonly input?: Input | undefined;
  /** The schema of what `respond` answers. */
  readonly output?: Answer | undefined;
  /** Types of the events that it may emit. */
  readonly events?: readonly Events[] | undefined;
  /** Codes of the problems that it may throw, for the documentation and the types of clients: a list, or the status or description of each. */
  readonly problems?: readonly Problems[] | Readonly<Record<Problems, ActionProblem>> | undefined;
  /** Whether `POST /orders/cancel` runs it for many rows. */
  readonly batch?: (On extends "row" ? boolean : false) | undefined;
  /** May run again, when the transaction is retried. @throws {ProblemError} for a refusal */
  run(call: CallByTarget<S, Input["_zod"]["output"], Events>[On]): MaybePromise<Result>;
}

/** What an action says of one of its problems: its status, or a description. */
export type ActionProblem = number | string;

/** An action as `defineResource` keeps it. */
export interface AnyAction {
  readonly on: ActionTarget;
  readonly method?: "GET" | "POST" | undefined;
  readonly input?: z.ZodType | undefined;
  readonly output?: z.ZodType | undefined;
  readonly events?: readonly string[] | undefined;
  readonly problems?: readonly string[] | Readonly<Record<string, ActionProblem>> | undefined;
  readonly batch?: boolean | undefined;
  readonly isolation?: ConcurrencyOptions["isolation"];
  readonly concurrent?: boolean | undefined;
  readonly run: (call: never) => unknown;
}

/** An action with what its calls take and return. */
export interface ResourceAction<
  On extends ActionTarget,
  Input,
  Answer,
  Events extends string,
  Method extends ActionVerb = ActionVerb,
  Problems extends string = string,
> extends AnyAction {
  readonly on: On;
  /** For the compiler only: always absent. */
  readonly types?: { readonly input: Input; readonly answer: Answer; readonly events: Events; readonly method: Method; readonly problems?: Problems };
}

/** Actions by their names. */
export type ActionMap = Readonly<Record<string, AnyAction>>;

/** Stands for the row of an action that answers it. */
export interface RowAnswer {
  readonly answersRow: true;
}

/** What a call of an action returns for what its `run` returns. */
type AnswerOf<On extends ActionTarget, Answer extends ActionSchema, Result> = On extends "row"
  ? Result extends Responded<infer T>
    ? Declared<Answer, T>
    : RowAnswer
  : Result extends Responded<infer T>
    ? Declared<Answer, T>
    : Result extends undefined
      ? undefined
      : Declared<Answer, Result>;

type Declared<Answer extends ActionSchema, T> = unknown extends Answer["_zod"]["output"] ? T : Answer["_zod"]["output"];

/** An action, or what is wrong if its result has a field that the row does not have. */
type Checked<On extends ActionTarget, Foreign extends string, Action> = [On, Foreign] extends ["row", string]
  ? [Foreign] extends [never]
    ? Action
    : `"${Foreign}" is not a field`
  : Action;
type Unknown<Result, Known> = Result extends Responded<unknown> | undefined ? never : Exclude<keyof Result & string, Known>;

/** What the option `actions` gets. */
export interface ActionBuilder<S extends z.ZodObject, Id extends string> {
  /**
   * Defines an action.
   *
   * @example
   * actions: ({ action }) => ({ cancel: action({ on: "row", run: () => ({ status: "cancelled" }) }) })
   */
  readonly action: <
    const On extends ActionTarget,
    const Result extends ActionResult<On, ServerChanges<Output<S>, Id>, Answer["_zod"]["input"]>,
    Input extends ActionSchema = ActionSchema<undefined>,
    Answer extends ActionSchema = ActionSchema,
    const Events extends string = never,
    const Method extends ActionVerb = "POST",
    const Problems extends string = never,
  >(
    options: ActionOptions<S, On, Input, Answer, Events, Result, Method, Problems>,
  ) => Checked<
    On,
    Unknown<Result, keyof S["shape"]>,
    ResourceAction<On, Input["_zod"]["input"], AnswerOf<On, Answer, Result>, Events, Method, Problems>
  >;
}
