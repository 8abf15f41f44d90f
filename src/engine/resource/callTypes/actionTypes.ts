import type { z } from "zod";
import type { ResourceAction, RowAnswer } from "../actions.js";
import type { ResourceTypes } from "../resourceTypes.js";
import type { IdOf, Rights, Single } from "./rowTypes.js";
import type { CreateOptions, MatchOptions } from "./types.js";

/** Options of an action on a row. */
export interface RowActionOptions<S extends z.ZodObject> extends MatchOptions<S>, CreateOptions {}

/** The actions of a collection, as calls. */
export type ActionCalls<S extends z.ZodObject, T extends ResourceTypes, G extends Rights> = {
  readonly [K in keyof T["actions"]]: ActionMethod<T["actions"][K], S, T, G>;
};

type ActionMethod<A, S extends z.ZodObject, T extends ResourceTypes, G extends Rights> =
  A extends ResourceAction<infer On, infer Input, infer Answer, string>
    ? On extends "row"
      ? (id: IdOf<S, T>, ...input: InputWith<Input, RowActionOptions<S>>) => Promise<Answered<Answer, Single<S, T, G>>>
      : (...input: InputWith<Input, CreateOptions>) => Promise<Answer>
    : never;

/** An input that may be `undefined` may be left out. */
type InputWith<Input, Options> = undefined extends Input ? [input?: Input, options?: Options] : [input: Input, options?: Options];

/** The row, or what `respond` answered. */
type Answered<Answer, Row> = Answer extends RowAnswer ? Row : Answer;
