import { defineResource, type Principal, type Resource, type ScopeQuestion } from "restwright";
import type { z } from "zod";

/** The same collection with a scope, which the administrator is not asked for. */
export function withScope<Name extends string, S extends z.ZodObject>(
  { name, options }: Resource<Name, S>,
  scope: (question: ScopeQuestion) => boolean | object,
): Resource<Name> {
  return defineResource(name, { ...options, scope: (question) => isAdmin(question.principal) || (scope(question) as boolean) });
}

const isAdmin = ({ id }: Principal) => id === "admin";
