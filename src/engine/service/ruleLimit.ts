import type { Verdict, Verifier } from "../../parts/auth/verifier.js";
import type { Environment } from "../operation/environment.js";
import type { RowRules } from "../operation/rules/rowRules.js";
import { isPromise, limited, withinTime } from "../operation/timeLimit.js";
import type { ServiceOptions } from "./options.js";

type Rule = (...given: never[]) => unknown;

/** Gives each function of the developer that a request waits for outside of its transaction the same time: one that never settles would hold the request for ever. */
export class RuleLimit {
  readonly #environment: Pick<Environment, "timers" | "limits">;

  constructor(environment: Pick<Environment, "timers" | "limits">) {
    this.#environment = environment;
  }

  /**
   * @param name of the rule, for the log and the answer
   * @param owner `this` of the function
   */
  limit<Run extends Rule | false | undefined>(name: string, run: Run, owner?: object): Run {
    if (typeof run !== "function") return run;
    const { timers, limits } = this.#environment;
    return limited((run as (...given: unknown[]) => unknown).bind(owner), { timers, limitMs: limits.ruleMs, rule: name }) as unknown as Run;
  }

  options<Options extends Pick<ServiceOptions, "authorize" | "tenant" | "principals" | "trustMethodOverride">>(options: Options): Options {
    const { authorize, tenant, principals, trustMethodOverride: trust } = options;
    return {
      ...options,
      authorize: this.limit(`"authorize"`, authorize),
      tenant: this.limit(`"tenant"`, tenant),
      principals: principals && { ...principals, reload: this.limit(`"principals.reload"`, principals.reload, principals) },
      trustMethodOverride: this.limit(`"trustMethodOverride"`, trust),
    };
  }

  readonly rules = (rules: RowRules): RowRules => {
    const { name } = rules.model;
    const stamps = rules.stamps.map((stamp) => ({ ...stamp, set: this.limit(`"stamp.${stamp.field}" of "${name}"`, stamp.set) }));
    return { ...rules, scope: this.limit(`"scope" of "${name}"`, rules.scope), stamps };
  };

  /** A verifier that reads the body waits for the client, whose pace is limited elsewhere. */
  readonly verify = (verifier: Verifier, request: Parameters<Verifier["verify"]>[0]): Verdict | Promise<Verdict> => {
    const verdict = verifier.verify(request);
    if (verifier.openBody || !isPromise(verdict)) return verdict;
    const { timers, limits } = this.#environment;
    return withinTime(verdict, { timers, limitMs: limits.ruleMs, rule: `the verifier of "${verifier.scheme}"`, stop: () => {} });
  };
}
