// The contract's types for the pages' JSDoc: its schemas, `Schema<'Match'>`, and the inputs and outputs of its
// operations, found by method and path, such as `` `/v1/matches/${id}` ``.

import type { components, paths } from 'contract';

type Success = 200 | 201 | 202 | 203 | 204;
type Given<S extends string> = string extends S ? true : S extends `${number}` | `{${string}}` ? true : false;
type Segment<S extends string> = Given<S> extends true ? '*' : S;
/** A path with a `*` for each parameter. */
type Pattern<P extends string> = P extends `${infer First}/${infer Rest}`
  ? `${Segment<First>}/${Pattern<Rest>}`
  : Segment<P>;
type Patterns = { [P in keyof paths as Pattern<P>]: paths[P] };
type Operation<M extends string, P extends string> = M extends keyof Patterns[Pattern<P> & keyof Patterns]
  ? NonNullable<Patterns[Pattern<P> & keyof Patterns][M]>
  : never;
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : null;
type Bodies<R> = { [S in keyof R & Success]: Json<R[S]> }[keyof R & Success];

type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type ValueOf<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;

type Query<Q> = [Q] extends [never] ? Record<string, never> : Q;

declare global {
  type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

  /** A path of the contract with this method; anything else is an error. */
  type PathOf<M extends string, P extends string> = [Operation<M, P>] extends [never] ? never : P;

  /** The JSON of an operation's answer; null if it has no content. */
  type Answer<M extends string, P extends string> = Operation<M, P> extends { responses: infer R } ? Bodies<R> : never;

  /** The JSON of an operation's request. */
  type BodyOf<M extends string, P extends string> =
    Operation<M, P> extends { requestBody?: infer B } ? Json<NonNullable<B>> : undefined;

  /** The parameters of its query. */
  type QueryOf<M extends string, P extends string> =
    Operation<M, P> extends { parameters: { query?: infer Q } } ? Query<NonNullable<Q>> : never;

  /** An item of a list. */
  type ItemOf<P extends string> = Answer<'get', P> extends { items: (infer Item)[] } ? Item : never;

  /** The items of a union of lists. */
  type ListOf<Lists> = Lists extends readonly (infer One)[] ? One : never;

  /** All fields of all members of a union, as optional ones, for code that checks their presence. */
  type AnyOf<Union> = { [Key in KeyOf<Union>]?: ValueOf<Union, Key> };
}
