// A typed bot. It plays one match of each variant that you name against another program, and then ends:
//
//	go run . URL open VARIANT…     makes a challenge for each match, and waits until it is accepted
//	go run . URL take VARIANT…     waits for a challenge that a program has made, and accepts it
//
// It plays with the token in BROADSIDE_TOKEN, or else makes an account. README.md says how its types are generated.
package main

import (
	"bot/broadside"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"os"
	"time"
)

var ctx = context.Background()

// Returns the answer; a refusal ends the program with the service's explanation. The last of `rest` is the error.
func ok[T any](answer T, rest ...any) T {
	if refused, is := rest[len(rest)-1].(*broadside.GenericOpenAPIError); is {
		log.Fatalf("%v: %s", refused, refused.Body())
	} else if err, is := rest[len(rest)-1].(error); is {
		log.Fatal(err)
	}
	return answer
}

func random(below int) int {
	return int(ok(rand.Int(rand.Reader, big.NewInt(int64(below)))).Int64())
}

// The choice, to be replaced by your own: random shots, and for everything else the example of the first decision.
func choose(match *broadside.Match) *broadside.SubmitActionRequest {
	for _, decision := range match.Decisions {
		var fields struct { // what every decision has
			Required bool
			Example  broadside.Action
		}
		ok(0, json.Unmarshal(ok(json.Marshal(decision)), &fields))
		if fire, shots := decision.FireDecision, fields.Example.FireAction; fire != nil {
			first := random(len(fire.Targets) - len(shots.Cells) + 1)
			shots.Cells = fire.Targets[first : first+len(shots.Cells)]
		}
		if fields.Required {
			return &broadside.SubmitActionRequest{Action: fields.Example, Version: *broadside.NewNullableInt64(&match.Version)}
		}
	}
	return nil
}

// An accepted challenge: a new one, or the newest one of another program, as soon as there is one.
func meet(challenges *broadside.ChallengesAPIService, role, variant string) *broadside.Challenge {
	for ; role == "take"; time.Sleep(time.Second / 2) {
		for _, one := range ok(challenges.ListChallenges(ctx).Variant(variant).Acceptable(true).Execute()).Items {
			if body := broadside.NewAcceptChallengeRequest(); one.Creator.Bot {
				return ok(challenges.AcceptChallenge(ctx, one.Id).AcceptChallengeRequest(*body).Execute())
			}
		}
	}
	terms := broadside.NewCreateChallengeRequest(broadside.PerMoveClockAsClock(broadside.NewPerMoveClock("per-move", 300)))
	terms.SetVariant(variant)
	return ok(challenges.CreateChallenge(ctx).CreateChallengeRequest(*terms).Execute())
}

func main() {
	settings := broadside.NewConfiguration()
	settings.Servers = broadside.ServerConfigurations{{URL: os.Args[1]}}
	player, token := broadside.NewAPIClient(settings), os.Getenv("BROADSIDE_TOKEN")
	if token == "" {
		password, username := fmt.Sprint(random(1<<62), random(1<<62)), fmt.Sprint("bot", random(1<<50))
		account := broadside.NewCreateAccountRequest(password, username)
		account.SetBot(true)
		token = ok(player.AccountsAPI.CreateAccount(ctx).CreateAccountRequest(*account).Execute()).AccessToken
	}
	settings.AddDefaultHeader("Authorization", "Bearer "+token)
	for _, variant := range os.Args[3:] {
		challenge := meet(player.ChallengesAPI, os.Args[2], variant)
		for ; challenge.GetMatchId() == ""; time.Sleep(time.Second / 2) {
			challenge = ok(player.ChallengesAPI.GetChallenge(ctx, challenge.Id).Execute())
		}
		look := player.MatchesAPI.GetMatch(ctx, challenge.GetMatchId())
		match := ok(look.Execute())
		for ; match.Result.Get() == nil; match = ok(look.Execute()) {
			if order := choose(match); order == nil { // others have to act: wait for news
				ok(look.WaitS(25).AfterVersion(match.Version).Execute())
			} else if answer, said, err := player.MatchesAPI.SubmitAction(ctx, match.Id).
				SubmitActionRequest(*order).Execute(); said == nil || said.StatusCode != http.StatusConflict {
				ok(answer, err) // on a conflict the match has moved on: look again
			}
		}
		fmt.Printf("%s: seat %d wins (%s)\n", variant, match.Result.Get().GetWinner(), match.Result.Get().Reason)
	}
}
