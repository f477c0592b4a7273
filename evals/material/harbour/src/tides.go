package harbour

import "time"

// lockClosesBelow is the height of the water, in centimetres over chart datum, at which the lock is closed.
const lockClosesBelow = 140

type Tide struct {
	At     time.Time
	Height int
}

// HeightAt gives the height between two known tides by the rule of twelfths.
func HeightAt(before, after Tide, at time.Time) int {
	span := after.At.Sub(before.At)
	if span <= 0 {
		return before.Height
	}
	sixth := int(at.Sub(before.At) * 6 / span)
	twelfths := []int{0, 1, 3, 6, 9, 11, 12}
	if sixth < 0 {
		sixth = 0
	}
	if sixth > 6 {
		sixth = 6
	}
	return before.Height + (after.Height-before.Height)*twelfths[sixth]/12
}

// LockOpen says whether ships may pass the lock.
func LockOpen(before, after Tide, at time.Time) bool {
	return HeightAt(before, after, at) >= lockClosesBelow
}
